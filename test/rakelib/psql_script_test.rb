# frozen_string_literal: true

require "test_helper"
require_relative "../../rakelib/psql_script"

# Scripts for psql, taken apart.
class PsqlScriptTest < Minitest::Test
  def test_semicolons_end_statements_but_in_quotes_comments_parentheses_and_bodies
    assert_equal ["SELECT ';', E'\\';', \"a;b\"", "SELECT $$;$$, $x$ $$; $x$", "SELECT   1"],
                 texts("SELECT ';', E'\\';', \"a;b\"; SELECT $$;$$, $x$ $$; $x$; -- ;\nSELECT /* ; /* ; */ ; */ 1")
    assert_equal ["CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2)", "SELECT 3"],
                 texts("CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2); SELECT 3;")
    body = "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 2 END; END"
    assert_equal [body, "BEGIN", "SELECT 1", "END"], texts("#{body}; BEGIN; SELECT 1; END;")
  end

  def test_rows_stand_behind_a_copy
    steps = steps("COPY t FROM stdin;\n1\t;\n\\N\t'\n\\.\nSELECT 1;")
    assert_equal [[:copy_in, "COPY t FROM stdin", "1\t;\n\\N\t'\n"], [:statement, "SELECT 1", nil]], steps
    assert_equal [[:copy_in, "COPY t FROM stdin", ""], [:statement, "SELECT 1", nil]], steps("COPY t FROM stdin;\n\\.\nSELECT 1;")
  end

  def test_variables_are_replaced_where_they_are_known
    assert_equal ["SELECT 'it''s', \"it's\", it's/t, :other, a::text, b[1:2]"],
                 texts("\\getenv folder FOLDER\n\\set file :folder '/t'\nSELECT :'folder', :\"folder\", :file, :other, a::text, b[1:2]", "FOLDER" => "it's")
  end

  def test_connecting_and_sending
    assert_equal [[:statement, "SELECT 1", nil], [:connect, "joe", nil], [:statement, "SELECT 2", nil], [:connect, nil, nil]],
                 steps("SELECT 1 \\gset\n\\c - joe\nSELECT 2\n\\c\n\\echo ;\n")
  end

  private

  def steps(script, environment = {}) = PsqlScript.new(script, environment).steps.map(&:to_a)

  def texts(...) = steps(...).map { |_, text| text }
end
