# frozen_string_literal: true

require "test_helper"

module Trunkline
  module Postgres
    module Parameters
      class JSONTextTest < TestCase
        JSONB = 3802

        def test_documents
          { { a: [1, nil, 1.5] } => '{"a":[1,null,1.5]}', { "ü" => true } => '{"ü":true}', {} => "{}", [] => "[]" }
            .each { |value, text| assert_equal text, convert(value) }
        end

        def test_nesting_is_not_limited_to_what_people_write
          deep = 500.times.inject(1) { |inner, _| [inner] }
          assert_equal "#{"[" * 500}1#{"]" * 500}", convert(deep)
        end

        def test_what_has_no_form
          endless = {}
          endless[:itself] = endless
          [{ a: Float::NAN }, [Float::INFINITY], ["\xFF"], endless].each do |value|
            assert_match(/\Acannot send \$1 as JSON: /, assert_raises(ArgumentError) { convert(value) }.message)
          end
        end

        private

        def convert(value) = Parameters.convert([value], [JSONB]).first
      end
    end
  end
end
