/**
 * Maps users between SCIM and Rollbook. Values that Rollbook has a member for are stored there; the rest
 * is a document beside the user, so that the client gets it back exactly as sent.
 */

import type { AttributeValue } from '../../directory/attributes/schema.ts'
import { enterpriseAttributes, means, toCell } from '../../directory/attributes/service.ts'
import type { User } from '../../directory/users/schema.ts'
import { isEmail } from '../../lib/email-form.ts'
import { acceptedLanguages, fallbacks, languageTag } from '../../lib/language-tags.ts'
import { isArray, isObject, type Json, type JsonObject, member } from '../protocol/json.ts'
import { enterpriseUserUrn, rollbookUserUrn } from '../protocol/urns.ts'
import { userDefinition } from '../schemas/definition.ts'
import { isPrimary, schemasOf } from '../schemas/read.ts'
import { metaOf } from './meta.ts'

const enterpriseNames = Object.entries(enterpriseAttributes)

/** What a change of a user sets. An absent `active` leaves it as it is: a PUT without it must not enable a user. */
export interface UserMembers {
  readonly username: string
  readonly email: string | null
  readonly external_id: string | null
  readonly first_name: string
  readonly last_name: string
  readonly active?: boolean
  /** The end date as the client writes it; absent leaves it, as a PUT of a client that does not know it must. */
  readonly expires_at?: string
  readonly password?: string
  /** By name in Rollbook; null for those that the client did not send. */
  readonly attributes: Readonly<Record<string, string | null>>
}

export interface MappedUser {
  readonly members: UserMembers
  /** Values that exist only in SCIM. */
  readonly document: JsonObject
}

/** @param resource as `acceptResource` or `applyPatch` returns it */
export function userFromScim(resource: JsonObject): MappedUser {
  const {
    schemas: _s,
    id: _i,
    meta: _m,
    groups: _g,
    userName,
    externalId,
    active,
    password,
    name,
    ...others
  } = resource
  const { [rollbookUserUrn]: own, ...rest } = others
  const expires_at = textOr(objectOr(own).expiresAt)
  const { givenName, familyName, ...otherNames } = objectOr(name)
  const email = mainEmail(rest.emails)
  const enterprise = objectOr(rest[enterpriseUserUrn])
  return {
    members: {
      username: textOr(userName),
      email: textOr(email?.value) || null,
      external_id: textOr(externalId) || null,
      first_name: textOr(givenName),
      last_name: textOr(familyName),
      ...(typeof active === 'boolean' && { active }),
      ...(expires_at !== '' && { expires_at }),
      ...(typeof password === 'string' && { password }),
      attributes: Object.fromEntries(
        enterpriseNames.map(([scim, own]) => [own, attributeValue(enterprise[scim]) || null]),
      ),
    },
    document: { ...rest, ...(Object.keys(otherNames).length > 0 && { name: otherNames }) },
  }
}

export interface StoredUser {
  readonly user: Pick<
    User,
    | 'user_id'
    | 'username'
    | 'email'
    | 'external_id'
    | 'first_name'
    | 'last_name'
    | 'active'
    | 'expires_at'
    | 'created_at'
    | 'updated_at'
  >
  readonly document: JsonObject
  /** The values of attributes in Rollbook. Null removes what the document has, and an absent one leaves it. */
  readonly attributes: Readonly<Record<string, Json>>
  readonly groups: readonly { readonly group_id: string; readonly name: string }[]
}

/** @param base the address of the SCIM endpoint, without a slash at its end */
export function userToScim(
  { user, document, attributes, groups }: StoredUser,
  base: string,
  version: string,
): JsonObject {
  const { name, emails, [enterpriseUserUrn]: enterprise, ...rest } = document
  const names = {
    ...objectOr(name),
    ...(user.first_name !== '' && { givenName: user.first_name }),
    ...(user.last_name !== '' && { familyName: user.last_name }),
  }
  const extension = withAttributes(objectOr(enterprise), attributes)
  const resource: JsonObject = {
    id: user.user_id,
    ...(user.external_id !== null && { externalId: user.external_id }),
    userName: user.username,
    ...(Object.keys(names).length > 0 && { name: names }),
    ...rest,
    active: user.active,
    ...withEmail(emails, user.email),
    ...(Object.keys(extension).length > 0 && { [enterpriseUserUrn]: extension }),
    ...(user.expires_at !== undefined && { [rollbookUserUrn]: { expiresAt: user.expires_at } }),
  }
  return {
    schemas: schemasOf(resource, userDefinition),
    ...resource,
    meta: metaOf('User', `${base}/Users/${user.user_id}`, user, version),
    // Last, because lists of users insert them there.
    ...(groups.length > 0 && { groups: groups.map((group) => groupReference(group, base)) }),
  }
}

/** Returns the text of an attribute of User or of the enterprise extension; empty without one. */
export function textIn(resource: JsonObject, name: string): string {
  return textOr(member(resource, name) ?? member(objectOr(resource[enterpriseUserUrn]), name))
}

const inAnyCase = new RegExp(languageTag, 'i')

/** Returns the language for messages to the user: the first preferred one, or that of the locale. */
export function languageOf({ preferredLanguage, locale }: JsonObject): string | undefined {
  // Some clients write en_US.
  const [preferred, own] = [preferredLanguage, locale].map((value) => textOr(value).replaceAll('_', '-'))
  const tags = [...acceptedLanguages(preferred), own ?? ''].flatMap((tag) => (tag.length > 64 ? [] : fallbacks(tag)))
  const tag = tags.find((one) => inAnyCase.test(one))
  return tag === undefined ? undefined : Intl.getCanonicalLocales(tag)[0]
}

/** Returns the address that Rollbook uses: the preferred one of those that are valid. */
function mainEmail(emails: Json | undefined): JsonObject | undefined {
  return preferredEmail(isArray(emails) ? emails.filter((one) => isObject(one) && isEmail(textOr(one.value))) : [])
}

/** Returns the primary address, the first one for work, or the first one. */
export function preferredEmail(emails: Json | undefined): JsonObject | undefined {
  const all = isArray(emails) ? emails.filter(isObject).filter((one) => textOr(one.value) !== '') : []
  return all.find(isPrimary) ?? all.find((one) => textOr(one.type).toLowerCase() === 'work') ?? all[0]
}

/** The address may have changed in Rollbook since the client sent it; the others stay. */
function withEmail(emails: Json | undefined, email: string | null): JsonObject {
  const all = isArray(emails) ? emails : []
  const main = mainEmail(all)
  if (main === undefined && email !== null) return { emails: [...all, { value: email, type: 'work', primary: true }] }
  const now = all.flatMap((one) => {
    if (one !== main || one === undefined) return [one]
    return email === null ? [] : [{ ...main, value: email }]
  })
  return now.length > 0 ? { emails: now } : {}
}

function withAttributes(enterprise: JsonObject, attributes: Readonly<Record<string, Json>>): JsonObject {
  const next: Record<string, Json> = { ...enterprise }
  for (const [scim, own] of enterpriseNames) {
    const value = member(attributes, own)
    const sent = attributeValue(enterprise[scim])
    if (value === undefined || sent === value) continue
    if (value === null) delete next[scim]
    else if (sent === null || !means(sent, value as AttributeValue)) {
      const text = String(toCell(value as AttributeValue))
      // The address of the former manager would point to another user than the id.
      next[scim] = scim === 'manager' ? { value: text } : text
    }
  }
  return next
}

/** A manager is stored as the id. */
function attributeValue(value: Json | undefined): string | null {
  const text = isObject(value) ? member(value, 'value') : value
  return typeof text === 'string' ? text : null
}

export function groupReference({ group_id, name }: { group_id: string; name: string }, base: string): JsonObject {
  return { value: group_id, $ref: `${base}/Groups/${group_id}`, display: name, type: 'direct' }
}

function objectOr(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

function textOr(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
