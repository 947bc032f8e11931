# frozen_string_literal: true

require "test_helper"
require "trunkline/config/host_list_url"

module Trunkline
  # URLs with several hosts, for frameworks.
  class HostListURLTest < TestCase
    REWRITTEN = {
      "trunkline://one,two/app" => "trunkline:///app?host=one,two",
      "trunkline://one,two" => "trunkline:///?host=one,two",
      "TRUNKLINE://ann@one:5433,two,three:5434/app?a=b%2Cc&d=e" => "TRUNKLINE:///app?username=ann&host=one,two,three&port=5433,,5434&a=b%2Cc&d=e",
      "postgres://ann:s%40:cret@one,two:1/app" => "postgres:///app?username=ann&password=s%40:cret&host=one,two&port=,1",
      "trunkline://[::1]:5433,[fe80::1%25lo]/app" => "trunkline:///app?host=::1,fe80::1%25lo&port=5433,",
      "trunkline://%2Ftmp%2Fa,%2Ftmp%2Fb/app" => "trunkline:///app?host=%2Ftmp%2Fa,%2Ftmp%2Fb"
    }.freeze
    ONE_HOST = ["trunkline://one/app", "trunkline:///app?host=one,two", "trunkline://ann:a,b@one/app", "postgres:one,two", "", nil, :"trunkline://a,b", "://a,b"].freeze
    private_constant :REWRITTEN, :ONE_HOST

    def test_several_hosts_go_to_the_query
      REWRITTEN.each do |url, expected|
        assert_equal url[/\A\w+/].downcase, HostListURL.scheme(url)
        assert_equal expected, HostListURL.rewritten(url, user: "username")
      end
    end

    def test_what_has_one_host_or_none
      ONE_HOST.each { |url| assert_nil HostListURL.scheme(url), url.inspect }
    end

    # The framework says what is wrong with it.
    def test_a_host_that_cannot_be
      ["trunkline://one:two,three/app", "trunkline://[one],two/app"].each { |url| assert_equal url, HostListURL.rewritten(url, user: "user") }
    end
  end
end
