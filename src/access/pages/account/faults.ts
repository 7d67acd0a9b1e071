/** Refusals of the API in the words of the page, beside the field that they are about. */
import type { InputFault } from '../../../core/errors.ts'
import type { Text } from '../../../lib/html.ts'
import { type Message, pageWords } from '../login-pages/service.ts'
import type { Texts } from '../page-texts/service.ts'
import type { Refusal } from './api-call.ts'

/** `fields`: by the name of the field in the form. */
export type Faults = { message?: Message | undefined; fields: Readonly<Record<string, Text>> }

export const noFaults: Faults = { fields: {} }

type Words = Texts['account']['faults']

/** Texts for input faults by their code; all others are `invalid`. */
const inputWords: Readonly<Record<string, keyof Words>> = {
  missing_member: 'missing',
  too_short: 'missing',
  too_long: 'tooLong',
  control_character: 'characters',
  bad_name: 'characters',
  email_invalid: 'emailInvalid',
  attribute_taken: 'taken',
  not_editable: 'notYours',
  managed_elsewhere: 'managed',
}

/** Texts for refusals of the whole form. */
const refusalWords: Readonly<Record<string, keyof Words>> = {
  precondition_failed: 'changedMeanwhile',
  managed_elsewhere: 'managed',
  too_many_mails: 'tooManyMails',
  mail_not_configured: 'noMail',
  email_missing: 'emailUnsendable',
  last_factor: 'lastFactor',
  last_sign_in_way: 'lastWay',
  last_admin: 'lastAdministrator',
  last_organization_admin: 'lastAdministrator',
  last_password_admin: 'lastAdministrator',
  factor_not_found: 'gone',
  identity_not_found: 'gone',
  key_not_found: 'gone',
  session_not_found: 'gone',
  trusted_browser_not_found: 'gone',
  permission_not_grantable: 'keyPermissions',
  too_many_keys: 'tooManyKeys',
}

/** Refusals that are about one field. */
const fieldWords: Readonly<Record<string, [field: string, word: keyof Words]>> = {
  current_password_wrong: ['current_password', 'passwordWrong'],
  email_taken: ['email', 'taken'],
}

export function faultsOf({ account, page, problems }: Texts, refusal: Refusal): Faults {
  const { code, status, errors, retryAfter } = refusal
  const { notSaved, faults: words } = account
  const ofField = fieldWords[code]
  if (ofField !== undefined) return { fields: { [ofField[0]]: words[ofField[1]] } }
  const fields = Object.fromEntries(errors.map((fault) => [fieldAt(fault), words[wordOf(fault)]]))
  if (Object.keys(fields).length > 0) return { fields }
  const word = refusalWords[code]
  if (word !== undefined) return { message: { title: notSaved, detail: words[word] }, fields: {} }
  return { message: pageWords({ page, problems } as Texts, { code, status }, retryAfter), fields: {} }
}

function wordOf({ code, pointer }: InputFault): keyof Words {
  if (code === 'missing_member' && pointer === '#/current_password') return 'passwordMissing'
  return inputWords[code] ?? 'invalid'
}

/** `#/attributes/department` → `attributes.department`, as the form names it. */
function fieldAt({ pointer }: InputFault): string {
  return pointer.replace(/^#\//, '').replaceAll('/', '.')
}

/** The first fault, for the top of the page: with a link to its field. */
export function summaryOf({ account }: Texts, { message, fields }: Faults): Message | undefined {
  const [first] = Object.entries(fields)
  if (message !== undefined || first === undefined) return message
  return { title: account.notSaved, detail: first[1], at: idOf(first[0]) }
}

export function idOf(name: string): string {
  return name.replaceAll(/[._]/g, '-')
}
