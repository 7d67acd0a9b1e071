/** One sentence for people that says whether a user can sign in, and if not, why. */
import type { SignInState } from './state-schema.ts'

export function sentenceOf(state: Omit<SignInState, 'sentence'>): string {
  const { can_sign_in, cause, attempts } = state
  const until = state.until === null ? '' : at(state.until)
  const place = state.network ?? ''
  switch (cause) {
    case 'none':
      return 'Yes.'
    case 'must_change_password':
      return 'Yes. The user must choose another password at the next sign-in.'
    case 'wrong_passwords':
      return `Yes, with the right password. Wrong password ${times(attempts)}${lastOf(state)}.`
    case 'company_sign_in':
      return 'Yes, with their company.'
    case 'email_code_only':
      return 'Yes, with a code by email. No password yet.'
    case 'no_password':
      return 'No. No password yet.'
    case 'service_account':
      return 'No. A service account acts with keys.'
    case 'password_refused':
      return 'Not with a password: the user signs in with their company.'
    case 'disabled':
      return `No. Disabled${disabledBy(state)}.`
    case 'organization_disabled':
      return 'No. The organization of the user is disabled.'
    case 'expired':
      return `No. The access ended at ${until}.`
    case 'locked': {
      const who = can_sign_in === 'no' ? 'No.' : 'Only in a browser in which the user has signed in before.'
      return `${who} Locked: wrong password ${times(attempts)}${lastOf(state)}.`
    }
    case 'wrong_passwords_from_many_networks':
      return `Must wait until ${until} in a new browser (attempts from several networks${lastOf(state)}).`
    case 'wrong_passwords_for_many_users':
      return `Must wait until ${until} (attempts from ${place} for several users).`
    case 'network_shut_out':
      return `Must wait until ${until}, even with the right password (wrong password ${times(attempts)} from ${place}).`
    case 'wrong_passwords_for_user': {
      const where = state.network === null ? 'in a browser that the user has used before' : `from ${place}`
      return `Must wait until ${until} (wrong password ${times(attempts)} ${where}).`
    }
  }
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function lastOf({ last_failure: last, failures }: Pick<SignInState, 'last_failure' | 'failures'>): string {
  if (last === null) return ''
  const from = last.address === null ? '' : ` from ${last.address}`
  const device = last.device === null ? '' : ` (${last.device})`
  return `, ${failures === 1 ? '' : 'last '}at ${at(last.occurred_at)}${from}${device}`
}

function disabledBy({ disabled }: Pick<SignInState, 'disabled'>): string {
  if (disabled === null) return ''
  const { kind, name } = disabled.by
  const actor = kind === 'system' ? 'the system' : name === null ? '' : kind === 'api_key' ? `API key ${name}` : name
  return `${actor === '' ? '' : ` by ${actor}`} at ${at(disabled.at)}`
}

/** 2026-11-20 12:00:01 UTC: with seconds, because many waits are short. */
function at(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC`
}
