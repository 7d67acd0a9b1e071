/** Every change that Rollbook can make, by name, and what the rooms below need from those above. */
import { findUsersWithChallenges } from '../access/credentials/challenges/service.ts'
import * as factors from '../access/credentials/factors/service.ts'
import * as keys from '../access/credentials/keys/service.ts'
import * as sessions from '../access/credentials/sessions/service.ts'
import * as connections from '../access/providers/connections/service.ts'
import * as accessRequests from '../access/sign-in/access-requests/service.ts'
import { endAll as endCliLogins } from '../access/sign-in/cli-login/service.ts'
import { forgetAddresses, unlock } from '../access/sign-in/throttling/service.ts'
import { joinOrganization, leaveGroupsOfOrganization } from '../administration/groups/service.ts'
import { advance, type Step } from '../administration/imports/service.ts'
import { eraseInSetupLinks } from '../directory/organizations/service.ts'
import * as users from '../directory/users/service.ts'
import * as reviews from '../operations/reviews/service.ts'
import * as journal from '../record/journal/service.ts'
import { recordRevocations } from '../record/revocations/service.ts'
import type { ChangeContext } from '../store/context.ts'
import * as idempotency from '../store/idempotency/service.ts'
import { judgeClock } from '../store/jobs/clock.ts'
import { rotate, sealPlain } from '../store/secrets/rotation.ts'
import * as secrets from '../store/secrets/service.ts'
import type { ChangeHandlers, ChangeTrait, CommandHandlers, CommandName } from '../store/storage/registry.ts'
import { changes as offered, traits } from './generated/changes.ts'

/**
 * A change is named because it travels: on SQLite it runs in the thread that owns the write connection, where many changes share one
 * commit (docs/decisions/0001).
 */
const commands = {
  ...offered,
  'housekeeping.judge_clock': judgeClock,
  'idempotency.prune': idempotency.prune,
  'secrets.keep': secrets.insertMissing,
  'secrets.seal': sealPlain,
  'secrets.rotate': rotate,
  'imports.advance': (ctx: ChangeContext, step: Step) => advance(ctx, step, factors.importedFactors),
} satisfies CommandHandlers

const all: { readonly [Name in CommandName]?: ChangeTrait } = { ...traits, 'imports.advance': { ofManyRows: true } }

/** The changes that have a trait. */
function named(trait: keyof ChangeTrait): ReadonlySet<CommandName> {
  return new Set(Object.entries(all).flatMap(([name, its]) => (its[trait] ? [name as CommandName] : [])))
}

/** Dependencies of a thread that makes changes. */
export const changes: ChangeHandlers = {
  commands,
  besideJournal: named('besideJournal'),
  provisional: named('provisional'),
  ofManyRows: named('ofManyRows'),
  ofRules: named('ofRules'),
  sharing: Object.fromEntries(Object.entries(all).flatMap(([name, { sharing }]) => (sharing ? [[name, sharing]] : []))),
  journal: {
    collect: () => new journal.Collector(),
    append: journal.appendIndexed,
    writePending: journal.writePending,
    hasPending: journal.hasPending,
    settlePending: journal.settlePending,
    settleLimit: journal.settleLimit,
  },
  recordRevocations,
  access: {
    endSessions: sessions.endAll,
    signOut: sessions.endAllOf,
    removeKeys: async (ctx, userId) => {
      await keys.removeAll(ctx, userId)
      await endCliLogins(ctx, userId)
    },
    endImpersonations: sessions.endImpersonations,
    findUsersToSignOut: sessions.findUsersToSignOut,
    findUsersWithSessions: sessions.findUsersWithSessions,
    findUsersWithWays: connections.findUsersWithWays,
    findUsersWithChallenges,
    findUsersWithKeys: keys.findUsersWithKeys,
    listUsersWithCredentials: keys.listUsersWithCredentials,
    leaveOrganization: async (ctx, user) => ({
      groups: await leaveGroupsOfOrganization(ctx, user),
      identities: await connections.removeOfOrganization(ctx, user),
    }),
    joinOrganization,
    dropDomain: connections.dropDomain,
    closeOrganization: users.closeOrganization,
    openOrganization: users.openOrganization,
    findNamesOfRole: connections.findNamesOfRole,
    erase: async (ctx, user) => {
      await factors.erase(ctx, user.user_id)
      await connections.erase(ctx, user)
      await accessRequests.erase(ctx, user)
      await eraseInSetupLinks(ctx, user)
      await reviews.erase(ctx, user)
    },
    forgetFailures: unlock,
    forgetAddresses,
  },
}

type All = typeof commands
declare module '../store/storage/registry.ts' {
  interface Registry {
    commands: All
    journalEntry: journal.Entry
  }
}
