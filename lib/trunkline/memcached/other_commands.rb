# frozen_string_literal: true

require_relative "../other_names"

module Trunkline
  module Memcached
    # What the commands are called in clients of Redis, in Rails and in other clients of memcached.
    OtherCommands = OtherNames.new(
      "get(key)" => %i[[] exist? exists? exists key? has_key? fetch_value],
      "set(key, value, seconds)" => %i[[]= setex put store],
      "add(key, value, seconds)" => %i[setnx write_unless_exist],
      "get_multi(*keys)" => %i[mget read_multi get_many fetch_multi multi_get values_at get_all],
      "set_multi(hash, seconds)" => %i[mset write_multi set_many multi_set],
      "delete(key)" => %i[del remove unlink],
      "delete_multi(keys)" => %i[delete_many delete_all],
      "touch(key, seconds)" => %i[expire pexpire expire_at],
      "incr(key, by)" => %i[incrby],
      "decr(key, by)" => %i[decrement decrby],
      "get_with_metadata(key)" => %i[ttl pttl],
      "flush_all" => %i[flushall flushdb clear clear_all],
      "version" => %i[ping],
      ", as memcached does not list its keys" => %i[keys scan each_key delete_matched]
    )
    private_constant :OtherCommands
  end
end
