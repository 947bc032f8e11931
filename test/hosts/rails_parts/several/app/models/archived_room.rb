# frozen_string_literal: true

class ArchivedRoom < ActiveRecord::Base
  establish_connection :archive
end
