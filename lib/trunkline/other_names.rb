# frozen_string_literal: true

module Trunkline
  # Names that other libraries have for methods here. The error of a call by such a name says what to write. Some are private methods of all objects,
  # as exec and select are, whose own errors would be about these.
  #
  #   include OtherNames.new("query(sql, *values)" => %i[exec exec_params])
  class OtherNames < Module # :nodoc:
    # @return [Hash{Symbol => String}] what to write instead, by the other names
    attr_reader :instead

    # @param names [Hash{String => Array<Symbol>}] by what to write here; or by why there is nothing to write, from a comma on
    def initialize(names)
      super()
      @instead = instead = names.flat_map { |text, others| others.map { |name| [name, text] } }.to_h.freeze

      define_method(:method_missing) do |name, *arguments, &block|
        if instead.key?(name) && !respond_to?(name) # to which a delegator may respond
          error = NoMethodError.new("there is no method #{name} here#{instead[name].start_with?(",") ? instead[name] : ": write #{instead[name]}"}", name, arguments, receiver: self)
          error.set_backtrace(caller) # Ruby would quote this file's line below the message
          raise error
        end

        super(name, *arguments, &block)
      end
      ruby2_keywords(:method_missing)
      # With Ruby's own one, each conversion that Ruby tries (to_ary in Array#flatten) would call method_missing.
      define_method(:respond_to_missing?) { |name, all| super(name, all) }
      private :method_missing, :respond_to_missing?
    end
  end
  private_constant :OtherNames
end
