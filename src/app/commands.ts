import * as challenges from '../access/credentials/challenges/service.ts'
import * as factorEnrollment from '../access/credentials/factors/enrollment.ts'
import * as factors from '../access/credentials/factors/factors.ts'
import { importedFactors } from '../access/credentials/factors/imported.ts'
import * as keys from '../access/credentials/keys/keys.ts'
import * as userKeys from '../access/credentials/keys/user-keys.ts'
import { endSome } from '../access/credentials/sessions/end.ts'
import { impersonate } from '../access/credentials/sessions/impersonation.ts'
import * as sessions from '../access/credentials/sessions/service.ts'
import * as trusted from '../access/credentials/sessions/trusted.ts'
import * as tokens from '../access/credentials/tokens/service.ts'
import * as signingKeys from '../access/credentials/tokens/signing-keys.ts'
import * as me from '../access/pages/me/service.ts'
import * as signInConnections from '../access/providers/connections/connections.ts'
import * as identities from '../access/providers/connections/identities.ts'
import { removeOwnFactor } from '../access/providers/connections/last-way.ts'
import * as provisioning from '../access/providers/provisioning/service.ts'
import { announceCertificates } from '../access/sign-in/company-sign-in/certificates.ts'
import * as companySignIns from '../access/sign-in/company-sign-in/changes.ts'
import { keepTest, tryOut } from '../access/sign-in/company-sign-in/test-sign-in.ts'
import * as directorySync from '../access/sign-in/directory-sync/changes.ts'
import * as links from '../access/sign-in/links/links.ts'
import * as linkPasskey from '../access/sign-in/links/passkey.ts'
import * as resetRequests from '../access/sign-in/links/requests.ts'
import { beginPasskey as beginConfirmation, renew } from '../access/sign-in/reauthentication/service.ts'
import * as setup from '../access/sign-in/setup/service.ts'
import { tryStep } from '../access/sign-in/sign-in/second-factor.ts'
import { startChallenge, succeed } from '../access/sign-in/sign-in/succeed.ts'
import { forgetAddresses } from '../access/sign-in/throttling/forget-networks.ts'
import * as locks from '../access/sign-in/throttling/lock.ts'
import * as throttles from '../access/sign-in/throttling/throttle-service.ts'
import { unlock } from '../access/sign-in/throttling/unlock.ts'
import * as attributes from '../directory/attributes/service.ts'
import { changeMany } from '../directory/bulk-changes/change-users.ts'
import { restoreMany } from '../directory/bulk-changes/restore.ts'
import { finish as finishBulkChange } from '../directory/bulk-changes/service.ts'
import * as rejected from '../directory/connections/rejected.ts'
import * as erasure from '../directory/deleted-users/erasure.ts'
import * as deletedUsers from '../directory/deleted-users/service.ts'
import * as exports from '../directory/exports/service.ts'
import * as groups from '../directory/groups/groups.ts'
import * as groupMembers from '../directory/groups/members.ts'
import * as imports from '../directory/imports/service.ts'
import { announce as announceRoles } from '../directory/roles/announce.ts'
import { cleanIndex } from '../directory/search/search-index.ts'
import { releaseUsers } from '../directory/users/releasing.ts'
import { sharedCreation, sharedUpdate } from '../directory/users/sharing.ts'
import * as users from '../directory/users/users.ts'
import * as nodes from '../operations/deployment/nodes.ts'
import { leaveOrigin, recordRestore } from '../operations/move/restored.ts'
import { record } from '../record/audit/record.ts'
import * as retention from '../record/audit/retention.ts'
import { compact } from '../record/events/compact.ts'
import { nameHistory } from '../record/events/history.ts'
import {
  appendIndexed,
  Collector,
  type Entry,
  settleLimit,
  settlePending,
  writePending,
} from '../record/journal/journal.ts'
import { hasPending } from '../record/journal/store.ts'
import { advance as advanceMails } from '../record/mails/sending/advance.ts'
import * as mails from '../record/mails/service.ts'
import * as revocations from '../record/revocations/service.ts'
import * as statistics from '../record/statistics/service.ts'
import { advance } from '../record/webhooks/dispatch-advance.ts'
import { prune } from '../record/webhooks/dispatch-prune.ts'
import * as webhooks from '../record/webhooks/endpoints.ts'
import * as deliveries from '../record/webhooks/service-deliveries.ts'
import { scimCommands } from '../scim/commands.ts'
import type { ChangeContext } from '../store/context.ts'
import * as idempotency from '../store/idempotency/service.ts'
import { judgeClock } from '../store/jobs/clock.ts'
import { rotate, sealPlain } from '../store/secrets/rotation.ts'
import * as secrets from '../store/secrets/service.ts'
import type { ChangeHandlers, CommandHandlers } from '../store/storage/registry.ts'

/**
 * Every change that Rollbook can make, by name. A change is named because it travels: on SQLite it runs in the thread
 * that owns the write connection, where many changes share one commit (docs/decisions/0001).
 */
const commands = {
  'housekeeping.judge_clock': judgeClock,
  'audit.record': record,
  'audit.announce_pruning': retention.announcePruning,
  'audit.prune': retention.prune,
  'users.create': users.create,
  'users.update': users.update,
  'users.delete': deletedUsers.remove,
  'users.restore': deletedUsers.restore,
  'users.change_many': changeMany,
  'users.restore_many': restoreMany,
  'users.finish_bulk_change': finishBulkChange,
  'users.export': exports.record,
  'users.begin_erasures': erasure.beginOverdue,
  'users.sweep': erasure.sweep,
  'users.finish_erasures': erasure.finish,
  'users.clean_search_index': cleanIndex,
  'attributes.create': attributes.create,
  'attributes.update': attributes.update,
  'attributes.delete': attributes.remove,
  'groups.create': groups.create,
  'groups.update': groups.update,
  'groups.delete': groups.remove,
  'groups.change_members': groupMembers.changeMembers,
  'groups.set_member': groupMembers.setMember,
  'provisioning.create': provisioning.create,
  'provisioning.update': provisioning.update,
  'provisioning.delete': provisioning.remove,
  'provisioning.release_users': releaseUsers,
  'provisioning.record_rejections': rejected.recordRejections,
  'provisioning.prune_rejections': rejected.pruneRejections,
  'sign_in_connections.create': signInConnections.create,
  'sign_in_connections.update': signInConnections.update,
  'sign_in_connections.delete': signInConnections.remove,
  'sign_in_connections.prune': signInConnections.pruneFailures,
  'directory_sync.begin': directorySync.startJob,
  'directory_sync.apply': directorySync.apply,
  'directory_sync.disable': directorySync.disable,
  'directory_sync.keep_failure': directorySync.keepFailure,
  'directory_sync.complete': directorySync.complete,
  'directory_sync.claim': directorySync.claim,
  'identities.link_for_user': identities.linkForUser,
  'identities.remove_of_user': identities.removeOfUser,
  'identities.remove_own': identities.removeOwn,
  'sign_in_connections.announce_certificates': announceCertificates,
  'company_sign_ins.begin': companySignIns.startSignIn,
  'company_sign_ins.take': companySignIns.claimPending,
  'company_sign_ins.finish': companySignIns.finish,
  'company_sign_ins.keep_failure': companySignIns.keepFailure,
  'company_sign_ins.keep_test': keepTest,
  'company_sign_ins.try': tryOut,
  'company_sign_ins.sign_out': companySignIns.signOut,
  'company_sign_ins.prune': companySignIns.prune,
  ...scimCommands,
  'me.update': me.update,
  'me.verify_email': me.verifyEmail,
  'me.set_password': me.setPassword,
  'me.create_key': userKeys.create,
  'me.revoke_key': userKeys.remove,
  'keys.create': keys.create,
  'keys.create_for_service_account': userKeys.createForServiceAccount,
  'keys.revoke_of_user': userKeys.removeOfUser,
  'keys.rotate': keys.rotate,
  'keys.revoke': keys.remove,
  'keys.bootstrap': keys.bootstrap,
  'keys.record_use': keys.recordUse,
  'events.begin': nameHistory,
  'events.compact': compact,
  'idempotency.prune': idempotency.prune,
  'imports.begin': imports.startImport,
  'imports.advance': (ctx: ChangeContext, step: imports.Step) => imports.advance(ctx, step, importedFactors),
  'imports.report': imports.report,
  'imports.interrupt': imports.interrupt,
  'imports.forget': imports.forget,
  'imports.cancel': imports.cancel,
  'imports.prune': imports.prune,
  'links.create_invited': links.createInvited,
  'links.invite': links.invite,
  'links.withdraw_invitation': links.withdrawInvitation,
  'links.create_reset': links.createReset,
  'links.set_password': links.setPassword,
  'links.begin_passkey': linkPasskey.beginPasskey,
  'links.add_passkey': linkPasskey.addPasskey,
  'links.confirm_address': links.confirmAddress,
  'password_resets.request': resetRequests.request,
  'password_resets.fulfil': resetRequests.fulfil,
  'password_resets.prune': resetRequests.prune,
  'mails.advance': advanceMails,
  'mails.prune': mails.prune,
  'mails.retry': mails.retry,
  'mails.release': mails.release,
  'mails.discard': mails.discard,
  'mails.test': mails.test,
  'nodes.report': nodes.report,
  'nodes.remove': nodes.removeNode,
  'revocations.prune': revocations.prune,
  'roles.announce': announceRoles,
  'secrets.keep': secrets.insertMissing,
  'secrets.seal': sealPlain,
  'secrets.rotate': rotate,
  'sessions.impersonate': impersonate,
  'sessions.renew': renew,
  'sessions.begin_passkey': beginConfirmation,
  'sessions.begin': sessions.startSession,
  'sessions.end': sessions.end,
  'sessions.end_own': sessions.endOneOfOwn,
  'sessions.end_all': sessions.endOwn,
  'sessions.end_of_user': sessions.endOfUser,
  'sessions.end_all_of_user': sessions.endAllOfUser,
  'sessions.record_use': sessions.recordUse,
  'sessions.prune': sessions.prune,
  'trusted_browsers.remove_own': trusted.removeOwn,
  'trusted_browsers.remove_of_user': trusted.removeOfUser,
  'setup.make_link': setup.makeLink,
  'setup.complete': setup.complete,
  'signing_keys.ensure': signingKeys.ensure,
  'signing_keys.tend': signingKeys.tend,
  'signing_keys.rotate': signingKeys.rotate,
  'store.leave_origin': leaveOrigin,
  'store.end_sessions': endSome,
  'store.record_restore': recordRestore,
  'statistics.tidy': statistics.tidy,
  'tokens.revoke': tokens.revokeToken,
  'sign_in.succeed': succeed,
  'sign_in.ask': startChallenge,
  'sign_in.try_step': tryStep,
  'challenges.begin': challenges.startChallenge,
  'challenges.prune': challenges.prune,
  'factors.add_totp': factorEnrollment.addTotp,
  'factors.confirm_totp': factorEnrollment.confirmTotp,
  'factors.begin_passkey': factorEnrollment.beginPasskey,
  'factors.add_passkey': factorEnrollment.addPasskey,
  'factors.rename': factors.rename,
  'factors.remove_own': removeOwnFactor,
  'factors.remove_of_user': factors.removeOfUser,
  'factors.reset': factors.reset,
  'factors.replace_recovery_codes': factors.replaceRecoveryCodes,
  'factors.prune': factorEnrollment.prune,
  'throttles.reserve': throttles.reserveAttempt,
  'throttles.clear': throttles.clearFailures,
  'throttles.give_back': throttles.giveBackAttempt,
  'throttles.count_unique_try': throttles.countUniqueTry,
  'throttles.prune': throttles.prune,
  'users.unlock': locks.end,
  'webhooks.advance': advance,
  'webhooks.create': webhooks.create,
  'webhooks.update': webhooks.update,
  'webhooks.delete': webhooks.remove,
  'webhooks.rotate_secret': webhooks.rotateSecret,
  'webhooks.test': deliveries.test,
  'webhooks.prune': prune,
  'deliveries.repeat': deliveries.repeat,
} satisfies CommandHandlers

/** Only the frequent ones; a rare command would gain nothing. */
const besideJournal = new Set([
  'users.create',
  'users.update',
  'me.update',
  'groups.set_member',
  'groups.change_members',
  'scim.create_user',
  'scim.replace_user',
  'scim.patch_user',
  'scim.patch_group',
  'keys.record_use',
  'sessions.begin',
  'sessions.record_use',
  'sign_in.succeed',
  'throttles.reserve',
  'throttles.clear',
  'throttles.give_back',
] as const)

/** An attempt is counted before it is checked. Before the response, the session or the record of the failure is durable, and so the count. */
const provisional = new Set(['throttles.reserve'] as const)

const ofManyRows = new Set(['imports.advance', 'users.change_many', 'users.restore_many'] as const)

/** Dependencies of a thread that makes changes. */
export const changes: ChangeHandlers = {
  commands,
  besideJournal,
  provisional,
  ofManyRows,
  sharing: { 'users.create': sharedCreation, 'users.update': sharedUpdate },
  journal: {
    collect: () => new Collector(),
    append: appendIndexed,
    writePending,
    hasPending,
    settlePending,
    settleLimit,
  },
  recordRevocations: revocations.recordRevocations,
  access: {
    endSessions: sessions.endAll,
    signOut: sessions.endAllOf,
    removeKeys: userKeys.removeAll,
    endImpersonations: sessions.endImpersonations,
    findUsersWithSessions: sessions.findUsersWithSessions,
    findUsersWithWays: identities.findUsersWithWays,
    findUsersWithKeys: userKeys.findUsersWithKeys,
    erase: async (ctx, user) => {
      await factors.erase(ctx, user.user_id)
      await identities.erase(ctx, user)
    },
    forgetFailures: unlock,
    forgetAddresses,
  },
}

type All = typeof commands
declare module '../store/storage/registry.ts' {
  interface Registry {
    commands: All
    journalEntry: Entry
  }
}
