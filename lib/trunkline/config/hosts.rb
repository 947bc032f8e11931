# frozen_string_literal: true

require_relative "host"

module Trunkline
  class Config
    # Combines the lists of names, addresses and ports, which correspond one to one, to a list of hosts. A single port applies to every host. Missing
    # or empty elements have the default.
    class Hosts
      # @param names [Array<String>, nil]
      # @param addresses [Array<String>, nil]
      # @param ports [Array<String>, nil]
      # @yield [option, what] raises an error
      def initialize(names, addresses, ports, &bad)
        @names = Array(names)
        @addresses = Array(addresses)
        @ports = Array(ports)
        @bad = bad
      end

      # @param dbname [String] for the labels
      # @return [Array<Host>]
      # @raise [ConfigError]
      def list(dbname)
        check_counts
        ports = Array.new(count) { |index| port(@ports.size > 1 ? @ports[index] : @ports.first) }
        ports.each_with_index.map { |port, index| host(present(@names[index]), present(@addresses[index]), port, dbname) }.freeze
      end

      private

      def count = [@addresses.size, @names.size, 1].max

      def check_counts
        if @addresses.any? && @names.any? && @addresses.size != @names.size
          @bad.call(:hostaddr, "lists #{@addresses.size} addresses, and host #{@names.size} names")
        end
        return if @ports.size <= 1 || @ports.size == count

        @bad.call(:port, "lists #{@ports.size} ports for #{count} #{count == 1 ? "host" : "hosts"}")
      end

      def port(text)
        return Defaults::PORT if text.to_s.empty?

        number = Integer(text, 10, exception: false)
        number&.between?(1, 65_535) ? number : @bad.call(:port, "must be a number from 1 to 65535")
      end

      def host(name, address, port, dbname)
        @bad.call(:hostaddr, "must be an IP address (a name belongs into host)") if address && !Host.address?(address)

        Host.new(name || address || Defaults.host(port).freeze, address, port, dbname)
      end

      def present(text) = text.to_s.empty? ? nil : text.freeze
    end

    private_constant :Hosts
  end
end
