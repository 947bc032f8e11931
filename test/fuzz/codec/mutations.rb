# frozen_string_literal: true

module CodecFuzz
  # Messages that get lost, come twice, change places, are cut, lie about their length or have other bytes in them.
  class Mutations
    KINDS = %i[drop repeat swap cut lie flip replace insert nothing].freeze
    private_constant :KINDS

    # @param random [Random]
    def initialize(random)
      @random = random
    end

    # @param messages [Array<String>]
    # @return [String] their bytes, changed in one to three places
    def apply(messages)
      messages = messages.map(&:dup)
      (1 + @random.rand(3)).times { send(KINDS.sample(random: @random), messages) unless messages.empty? }
      messages.join
    end

    private

    def place(messages) = @random.rand(messages.size)

    def drop(messages) = messages.delete_at(place(messages))

    def repeat(messages)
      at = place(messages)
      messages.insert(at, messages[at].dup)
    end

    def swap(messages)
      one, two = place(messages), place(messages)
      messages[one], messages[two] = messages[two], messages[one]
    end

    def cut(messages)
      message = messages[place(messages)]
      message.replace(message.byteslice(0, @random.rand(message.bytesize + 1)))
    end

    def lie(messages)
      message = messages[place(messages)]
      return if message.bytesize < 5

      length = message.byteslice(1, 4).unpack1("N")
      message[1, 4] = [[0, 3, 4, length - 1, length + 1, 0x7FFFFFFF, 0xFFFFFFFF, @random.rand(1 << 16)].sample(random: @random)].pack("N")
    end

    def flip(messages)
      message = messages[place(messages)]
      at = @random.rand(message.bytesize) unless message.empty?
      message.setbyte(at, message.getbyte(at) ^ (1 << @random.rand(8))) if at
    end

    # One byte of the body becomes another.
    def replace(messages)
      message = messages[place(messages)]
      message.setbyte(5 + @random.rand(message.bytesize - 5), [0, 1, 0x7F, 0xFF, @random.rand(256)].sample(random: @random)) if message.bytesize > 5
    end

    def insert(messages)
      messages.insert(place(messages), @random.bytes(@random.rand(12)))
    end

    def nothing(_messages) = nil
  end
end
