# frozen_string_literal: true

module Trunkline
  module PG
    module Shape
      # The type maps and coders of PG::Connection.
      module Mapping
        # @return [TypeMap] for parameters; initially a {TypeMapAllStrings}
        def type_map_for_queries = @types.for_queries

        # @param map [TypeMap] of this module, or of the pg gem
        # @raise [TypeError] it is not a type map
        def type_map_for_queries=(map)
          @types.for_queries = map
        end

        # @return [TypeMap] for results
        def type_map_for_results = @types.for_results

        # @param map [TypeMap] of this module, or of the pg gem
        # @raise [TypeError] it is not a type map
        def type_map_for_results=(map)
          @types.for_results = map
        end

        # @return [#encode, nil] for {Copying#put_copy_data}, if copy_data was not given one
        def encoder_for_put_copy_data = @types.copy_encoder

        # @param encoder [#encode, nil]
        def encoder_for_put_copy_data=(encoder)
          @types.copy_encoder = encoder
        end

        # @return [#decode, nil] for {Copying#get_copy_data}, if copy_data was not given one
        def decoder_for_get_copy_data = @types.copy_decoder

        # @param decoder [#decode, nil]
        def decoder_for_get_copy_data=(decoder)
          @types.copy_decoder = decoder
        end

        # @return [Symbol] :string or :symbol, for the keys of results
        def field_name_type = @types.names

        # @param type [Symbol] as {Result#field_name_type=}
        # @raise [ArgumentError] it is neither
        def field_name_type=(type)
          @types.names = type
        end
      end
    end
  end
end
