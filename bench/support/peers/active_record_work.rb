# frozen_string_literal: true

require "active_record"
require "trunkline"
require_relative "../measure"
require_relative "../data/accounts"

module Trunkline
  module Bench
    module Peers
      # One caller that asks by ActiveRecord, on the stock adapter or on Trunkline's.
      class ActiveRecordWork
        # What is looked for.
        class Account < ::ActiveRecord::Base
        end

        # What is written.
        class Note < ::ActiveRecord::Base
        end

        # @param rows [Integer] of the accounts
        # @param adapter [String] "postgresql" or "trunkline"
        # @param work [String] "select_value", "find" or "transaction"
        def initialize(uri:, rows:, adapter:, work:)
          @rows = rows
          ::ActiveRecord::Base.establish_connection(url: uri.sub(/\Apostgres(ql)?:/, "#{adapter}:"), pool: 1000, reaping_frequency: nil)
          connection = ::ActiveRecord::Base.lease_connection
          @work = {
            "select_value" => ->(_) { connection.select_value("SELECT 1") }, "find" => ->(id) { Account.find(id).attributes },
            "transaction" => ->(id) { Note.transaction { Note.create!(account: id).account } }
          }.fetch(work)
        end

        # @param ids [Array<Integer>] of accounts
        # @return [Array] what each came to, and what is stored of it
        def answers(ids:) = ids.map(&@work) + Note.order(:id).last(ids.size).map(&:account)

        # @param count [Integer] how often the work is done
        # @return [Hash] wall, cpu, objects; result, as often
        def measure(count:)
          Measure.run { count.times { |number| @work.call(Accounts.id(number, @rows)) } }
        end
      end
    end
  end
end
