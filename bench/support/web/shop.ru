# frozen_string_literal: true

# A shop in Rails, over the adapter that ADAPTER names. Asked for by its paths.
#
#   /products/1   a product with its category, its reviews and their authors, what is beside it, what was sold of it; that it was seen is written down
#   /dashboard    ten figures that do not depend on each other, with load_async

require "rails"
require "active_record/railtie"
require "action_controller/railtie"
require "trunkline"

class Shop < Rails::Application
  config.load_defaults Rails::VERSION::STRING.to_f
  config.eager_load = true
  config.secret_key_base = "0" * 64
  config.logger = ActiveSupport::Logger.new($stderr)
  config.log_level = :error
  config.hosts.clear
  config.active_support.isolation_level = ENV.fetch("ISOLATION").to_sym
  config.active_record.async_query_executor = :global_thread_pool
  config.active_record.global_executor_concurrency = 10 # the figures of a dashboard
  def config.database_configuration
    { "production" => { "adapter" => ENV.fetch("ADAPTER"), "host" => "127.0.0.1", "port" => ENV.fetch("PORT_OF_SERVER"), "username" => "postgres", "database" => "postgres",
                        "sslmode" => "require", "pool" => Integer(ENV.fetch("POOL")), "checkout_timeout" => 60, "prepared_statements" => ENV.fetch("PREPARED") == "true",
                        "failover_wait" => ENV["FAILOVER_WAIT"] }.compact }
  end
end

class Category < ActiveRecord::Base
  has_many :products
end

class Product < ActiveRecord::Base
  belongs_to :category
  has_many :reviews
  has_many :sales
end

class Author < ActiveRecord::Base
end

class Review < ActiveRecord::Base
  belongs_to :author
end

class Sale < ActiveRecord::Base
end

class View < ActiveRecord::Base
end

# A page that fails shows the class of its error.
class ShopController < ActionController::API
  rescue_from(ActiveRecord::ActiveRecordError) { |error| render plain: error.class.name, status: :internal_server_error }
end

class ProductsController < ShopController
  def show
    product = Product.includes(:category).find(params[:id])
    View.create!(product_id: product.id)
    render json: {
      name: product.name, price: product.price, category: product.category.name, sold: product.sales.sum(:pieces),
      reviews: product.reviews.includes(:author).order(:id).map { |review| [review.author.name, review.stars, review.body] },
      beside: product.category.products.where.not(id: product.id).order(:price, :id).limit(5).pluck(:name, :price)
    }
  end
end

class DashboardController < ShopController
  FIGURES = 10

  def show
    figures = Array.new(FIGURES) { |number| Sale.where(product_id: (number * 10) + 1).order(:id).limit(20).load_async }
    render json: figures.map { |sales| sales.sum(&:pieces) }
  end
end

Shop.initialize!
Shop.routes.draw do
  resources :products, only: :show
  get "dashboard", to: "dashboard#show"
end

run Shop
