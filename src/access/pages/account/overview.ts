/** The account page itself. */
import { system } from '../../../core/actor.ts'
import { scopeOf } from '../../../core/scope.ts'
import * as users from '../../../directory/users/service.ts'
import { canUsePassword } from '../../../directory/users/service.ts'
import type { Factors, PasskeyAccount } from '../../credentials/factors/schema.ts'
import type { RelyingParty } from '../../credentials/factors/service.ts'
import * as factors from '../../credentials/factors/service.ts'
import { listLinkable } from '../../providers/connections/service.ts'
import { type Page, type PageNeeds, queryOf } from '../login-pages/service.ts'
import type { Me } from '../me/schema.ts'
import { type AccountNeeds, readAccount, readActivity } from './account.ts'
import type { Exchange } from './forms.ts'
import type { Step } from './steps.ts'
import { accountPage } from './view.ts'

export type OverviewNeeds = AccountNeeds & PageNeeds & { relyingParty: RelyingParty }

export async function showAccount(
  needs: OverviewNeeds,
  { request, frame, person, returnTo }: Exchange,
  { faults, typed }: Pick<Step, 'faults' | 'typed'>,
): Promise<Page> {
  const { config, links, storage } = needs
  const user = await users.findById(storage.db, scopeOf(system), person.user_id)
  const { saved } = frame.t.account
  const done = queryOf(request).saved
  const account = await readAccount(needs, request)
  return accountPage(frame, {
    account,
    passkeys: passkeySignals(needs, account.factors, { saved: done, me: account.me }),
    activity: await readActivity(needs, request),
    now: request.now,
    here: links.path('/account'),
    returnTo,
    note: typeof done === 'string' && Object.hasOwn(saved, done) ? saved[done as keyof typeof saved] : undefined,
    faults,
    typed,
    hasPassword: user !== undefined && (await canUsePassword(storage.db, user)),
    hasMail: config.smtpUrl !== undefined,
    canLink: (await listLinkable(storage.db, person)).length > 0,
    mayDelete: config.accountDeletion === 'on',
  })
}

/** The passkeys and the name of the user for password managers, after one of them has changed. */
function passkeySignals(
  { relyingParty }: OverviewNeeds,
  { passkey_accounts: accounts }: Factors,
  { saved, me }: { saved: unknown; me: Me },
): readonly PasskeyAccount[] {
  if (saved !== 'factor_removed') return saved === 'profile' ? accounts : []
  // The account of a domain is no longer listed once its last passkey is removed.
  const withoutPasskey = relyingParty.ids.filter((id) => accounts.every(({ rp_id }) => rp_id !== id))
  const { user_id, username: name } = me
  const user = { user_handle: factors.userHandle(user_id), name, display_name: factors.displayName(me) }
  return [...accounts, ...withoutPasskey.map((rp_id) => ({ ...user, rp_id, credential_ids: [] }))]
}
