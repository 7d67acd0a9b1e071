/** Reads the claims that a mapping names. A claim that did not arrive whole is never an empty one. */
import { distinguishedNameKey } from '../../../lib/distinguished-name.ts'
import { endIn } from './claimed-end.ts'
import type { Claims } from './kinds/kind.ts'

/**
 * Why a claim says nothing about the user: it is missing; the provider left it out because there is too much of it; or it
 * has a form that no value can be read from.
 */
export type Unread = 'missing' | 'overage' | 'unreadable'

/** `form`: what an unreadable claim is instead, in English. */
type Failed = { unread: Unread; form?: string }

/** The end date that a claim names; null: the access does not end. A claim without a value is missing. */
export function endOf(
  claims: Claims,
  name: string,
  { isDirectory }: { isDirectory: boolean },
): { end: string | null } | Failed {
  const read = wholeClaim(claims, name)
  if ('unread' in read) return read
  if (read.value === null || read.value === '') return { unread: 'missing' }
  const end = endIn(read.value, { isDirectory })
  return end === undefined ? { unread: 'unreadable', form: endFormOf(read.value) } : { end }
}

function endFormOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return `a ${typeof value === 'string' ? 'text' : typeof value} that is no date between the years 1970 and 9999`
}

/** The values of a claim as texts, or why there are none to go by. */
export type ClaimValues = { values: ReadonlySet<string> } | Failed

export function valuesOf(claims: Claims, name: string): ClaimValues {
  const read = wholeClaim(claims, name)
  if ('unread' in read) return read
  const texts = textsOf(read.value)
  return texts === undefined ? unreadable(read.value) : { values: new Set(texts) }
}

/** The value of an attribute. The keys of an object are no value of it. */
export function attributeOf(claims: Claims, name: string): { value: string | number | boolean | string[] } | Failed {
  const read = wholeClaim(claims, name)
  if ('unread' in read) return read
  const { value } = read
  if (typeof value === 'number' || typeof value === 'boolean') return { value }
  const texts = isObject(value) ? undefined : textsOf(value)
  if (texts === undefined || !texts.every(isStorable)) return unreadable(value)
  const [first] = texts
  return { value: texts.length === 1 && first !== undefined ? first : texts }
}

function wholeClaim(claims: Claims, name: string): { value: unknown } | Failed {
  if (isLeftOut(claims, name)) return { unread: 'overage' }
  const value = claimAt(claims, name)
  return value === undefined ? { unread: 'missing' } : { value }
}

function unreadable(value: unknown): Failed {
  return { unread: 'unreadable', form: formOf(value) }
}

function formOf(value: unknown): string {
  if (Array.isArray(value)) {
    const odd = value.find((one) => textOf(one) === undefined || !isStorable(String(one)))
    return `a list with ${formOf(odd)} in it`
  }
  if (typeof value === 'string') return 'a text that cannot be stored'
  return value === null ? 'null' : 'an object'
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/**
 * Finds a claim by its name, or by a path such as `realm_access.roles`. Names may have dots themselves, so at each level
 * the longest name that is there counts.
 */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot)
    const inner = Object.hasOwn(claims, name) ? claims[name] : undefined
    if (isObject(inner)) return claimAt(inner, path.slice(dot + 1))
  }
  return undefined
}

/** Numbers and booleans as texts, and the keys of an object. Undefined if one value has none of these forms. */
function textsOf(value: unknown): string[] | undefined {
  if (isObject(value)) return Object.keys(value)
  const all = [value].flat()
  const texts = all.map(textOf).filter((text) => text !== undefined)
  return texts.length === all.length ? texts : undefined
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const linkToGroups = /(^|\/)groups\.link$/
const groupClaim = /(^|[/:])groups$/

/**
 * Whether the provider says that this claim is elsewhere. OpenID Connect Core §5.6.2 has `_claim_names`; Entra ID uses it for
 * more than 200 groups, or `hasgroups`, and in SAML the attribute `…/groups.link` for more than 150.
 */
function isLeftOut(claims: Claims, path: string): boolean {
  const elsewhere = Object.hasOwn(claims, '_claim_names') ? claims._claim_names : undefined
  if (isObject(elsewhere)) {
    if (Object.keys(elsewhere).some((name) => path === name || path.startsWith(`${name}.`))) return true
  }
  const hasGroups = Object.hasOwn(claims, 'hasgroups') && [true, 'true', 1, '1'].includes(claims.hasgroups as never)
  const isLinked = Object.keys(claims).some((name) => linkToGroups.test(name))
  // An administrator chooses the name of the attribute, so beside a link any missing one may be the one left out.
  return (hasGroups || isLinked) && (groupClaim.test(path) || claimAt(claims, path) === undefined)
}

/** Which of the values that a mapping names are among those of a claim. Distinguished names are compared by their parts. */
export function matcherOf(values: ReadonlySet<string>): (named: string) => boolean {
  let names: ReadonlySet<string | undefined> | undefined
  return (named) => {
    if (values.has(named)) return true
    const key = distinguishedNameKey(named)
    if (key === undefined) return false
    names ??= new Set([...values].map(distinguishedNameKey))
    return names.has(key)
  }
}
