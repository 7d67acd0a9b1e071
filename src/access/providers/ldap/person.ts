/** Translates a directory entry to the claims of OpenID Connect, so that mappings are the same for all kinds. */

import { type Ended, endedBy, stateAttributes } from '../../../lib/directory-account.ts'
import type { LdapSettings } from '../connections/service.ts'
import { guidText, sidText } from './binary-ids.ts'
import { bytesOf, type Entry, textsOf } from './client.ts'
import { LdapFailure } from './failure.ts'
import { type DirectoryGroup, groupAttributes } from './groups.ts'

export type DirectoryUser = {
  dn: string
  /** The value of `subject_attribute`: what does not change when the user is renamed or moved. */
  subject: string
  /** How the directory ended the account. */
  endState: Ended | undefined
  claims: Record<string, unknown>
}

/** What becomes claims with the same name. */
function furtherAttributes({ read_attributes, expires_at_claim = null }: LdapSettings): string[] {
  const isAttribute = expires_at_claim !== null && /^[A-Za-z][A-Za-z0-9-]*$/.test(expires_at_claim)
  return [...new Set([...read_attributes, ...(isAttribute ? [expires_at_claim] : [])])]
}

export function personAttributes(settings: LdapSettings): string[] {
  const { subject_attribute, email_attribute, first_name_attribute, last_name_attribute, username_attribute } = settings
  const own = [subject_attribute, email_attribute, first_name_attribute, last_name_attribute, username_attribute]
  return [...new Set([...own, ...furtherAttributes(settings), ...stateAttributes, ...groupAttributes(settings)])]
}

/** @throws LdapFailure `subject_missing` */
export function personIn(
  entry: Entry,
  groups: readonly DirectoryGroup[],
  { settings, now }: { settings: LdapSettings; now: number },
): DirectoryUser {
  const first = (attribute: string) => textsOf(entry, attribute)[0]
  const subject = subjectIn(entry, settings.subject_attribute)
  const further = furtherAttributes(settings).flatMap((name) => {
    const texts = textsOf(entry, name)
    return texts.length === 0 ? [] : [[name, texts.length === 1 ? texts[0] : texts]]
  })
  const claims = Object.fromEntries(
    [
      ...further,
      ['sub', subject],
      ['email', first(settings.email_attribute)],
      ['given_name', first(settings.first_name_attribute)],
      ['family_name', first(settings.last_name_attribute)],
      ['preferred_username', first(settings.username_attribute)],
      ...(settings.group_source === 'none'
        ? []
        : [
            ['groups', groups.map(({ name }) => name)],
            ['group_dns', groups.map(({ dn }) => dn)],
          ]),
    ].filter(([, value]) => value !== undefined),
  )
  return { dn: entry.dn, subject, endState: endedBy((name) => textsOf(entry, name), now), claims }
}

/** Exactly one value: of several, the first may be another one tomorrow. */
function subjectIn(entry: Entry, attribute: string): string {
  const [bytes] = bytesOf(entry, attribute)
  const texts = bytes === undefined ? textsOf(entry, attribute) : [guidText(bytes) ?? sidText(bytes) ?? '']
  const [subject = ''] = texts
  if (texts.length === 1 && subject !== '') return subject
  const detail = `The entry has no single value of ${attribute}, the subject_attribute. The bind user may not read it, or the directory has another one (entryUUID, objectGUID).`
  throw new LdapFailure('subject_missing', detail)
}
