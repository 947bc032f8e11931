#include "command_effect.h"

#include "../messages/command_tag.h"
#include "../statements/plan_epoch.h"

/* Statements that any session has prepared are outdated from now on, and again when the transaction has ended. */
static void change_schema(session_state_t *session) {
    session->schema_changed = true;
    plan_epoch_end(session->epoch, session->epoch->number);
}

void command_effect_note(session_state_t *session, const char *tag, size_t length, bool own) {
    switch (command_tag_effect(tag, length)) {
    case COMMAND_FORGETS_STATEMENTS: slots_forget(session); break;
    case COMMAND_DEFINES:
        session->defined = true;
        session->epoch->defined++;
        if (!own) change_schema(session);
        break;
    case COMMAND_CHANGES_SCHEMA: change_schema(session); break;
    case COMMAND_AS_ANY: break;
    }
    if (session->schema_changed && command_tag_rolled_back(tag, length)) plan_epoch_end(session->epoch, session->epoch->number);
}

void command_effect_status(session_state_t *session, char status) {
    if (status == 'I') {
        if (session->schema_changed && session->in_block) plan_epoch_end(session->epoch, session->epoch->number);
        if (session->defined && session->in_block) session->epoch->defined++;
        session->schema_changed = session->defined = false;
    }
    session->in_block = status != 'I';
}
