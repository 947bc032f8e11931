# frozen_string_literal: true

module Trunkline
  module CLI
    class Doctor
      # Checks whether functions of the application keep state in their session, and which other objects call such functions.
      module Functions # :nodoc:
        STATE = Postgres.const_get(:StateKeepers)
        NONE = "No function of the database's own is seen to keep state in its session; functions in C and names in variables are not looked into."
        NAMED = "Functions keep state in their session. Name them: session_functions: %s"
        UNSEEN = "Functions keep state in their session (%s) and run where no call shows it: through %s. Have clients find them: session_functions: :detect " \
                 "(in database.yml session_functions: detect), or let these functions end their settings and locks with the transaction, by " \
                 "set_config(..., true), SET LOCAL and pg_advisory_xact_lock."
        KINDS = { name: "use of", writing: "writes to", operator: "the operator", command: "event triggers of commands" }.freeze
        private_constant :STATE, :NONE, :NAMED, :UNSEEN, :KINDS

        module_function

        # @return [Array<Array(Symbol, String)>] verdicts and sentences
        def findings(patient)
          keepers = STATE.find { |script| patient.db.execute_script(script).last.to_a }
          calls, unseen = keepers.partition { |keeper| keeper[2] == :call }
          return [[:fine, NONE]] if keepers.empty?
          named = calls.map { |keeper| name(keeper) }.uniq.sort
          return [[:advice, format(NAMED, named.inspect)]] if unseen.empty?

          [[:advice, format(UNSEEN, named.join(", "), unseen.map { |keeper| "#{KINDS.fetch(keeper[2])} #{name(keeper)}".strip }.uniq.join(", "))]]
        end

        def name((schema, name, by)) = by == :operator ? name : [schema, name].compact.reject(&:empty?).map { |part| quoted(part) }.join(".")
        def quoted(name) = name.match?(/\A[a-z_][a-z0-9_]*\z/) ? name : %("#{name.gsub('"', '""')}")
        private_class_method :name, :quoted
      end
      private_constant :Functions
    end
  end
end
