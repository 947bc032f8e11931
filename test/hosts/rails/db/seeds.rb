# frozen_string_literal: true

%w[Garden Kitchen].each { |name| Room.find_or_create_by!(name: name) }
