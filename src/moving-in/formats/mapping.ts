/** A mapping says which column or path of a file is which member of a user. It is JSON, written by hand or ready in systems.ts. */
import { OperatorError } from '../../core/errors.ts'
import { type AttributeValue, type AttributeValues, nameForm } from '../../directory/attributes/schema.ts'
import { fromCell } from '../../directory/attributes/service.ts'
import { type JsonObject, objectOf, textOf } from '../reading/json.ts'
import { textsAt, valuesAt } from '../reading/path.ts'
import { eachOnce, noPassword, type Person, shortened } from './person.ts'
import { totpOfUri } from './totp-uri.ts'

const members = [
  ...['id', 'username', 'email', 'first_name', 'last_name', 'name', 'role', 'active', 'password', 'password_hash'],
  ...['must_change_password', 'email_verified', 'phone', 'external_id', 'created_at', 'last_login_at'],
  'totp_secret',
] as const
export type Member = (typeof members)[number]

/** Types of attributes that a file may have as texts; the values of all others are texts. */
const types = ['number', 'boolean', 'string[]'] as const
export const attributeForm = new RegExp(`^attributes\\.(${nameForm})$`)

type Rule = {
  /** The type of the attribute. */
  type?: (typeof types)[number]
  /** Alternatives: the first with a value counts. Literal texts and, at the odd places, columns or paths. */
  alternatives: readonly (readonly string[])[]
  values?: ReadonlyMap<string, string>
  otherwise?: string
}

export type Mapping = {
  delimiter: string | undefined
  /** Where the list of users is in JSON. */
  rows: string | undefined
  rules: ReadonlyMap<Member, Rule>
  /** The rules of attributes by their names. */
  attributes: ReadonlyMap<string, Rule>
  /** All columns or paths. */
  paths: ReadonlySet<string>
  /** Columns without an alternative. */
  needed: readonly string[]
}

/** Applies a mapping to a record. `place` names a user without an id in reports. */
export function personOf(
  record: JsonObject,
  place: string,
  { rules, attributes: attributeRules }: Mapping,
  ready: { noPassword?: string; left?: readonly ({ what: string; why: string } | undefined | false)[] } = {},
): Person {
  const left = [...(ready.left ?? [])]
  const unknown = (member: string, text: string): undefined => {
    left.push({ what: `${member} ${shortened(text)}`, why: unknownValue })
  }
  const valueBy = (rule: Rule | undefined, member: string): string | undefined => {
    const text = textIn(rule, record)
    if (text === '') return undefined
    const { values, otherwise } = rule ?? {}
    return (values === undefined ? text : (values.get(text) ?? otherwise)) || unknown(member, text)
  }
  const value = (member: Member): string | undefined => valueBy(rules.get(member), member)
  const attributes: AttributeValues = {}
  for (const [name, rule] of attributeRules) {
    const found = rule.type === 'string[]' ? listIn(rule, record) : typed(rule, valueBy(rule, `attributes.${name}`))
    if (found !== undefined) attributes[name] = found
  }
  const flag = (member: Member): boolean => isTrue(value(member), (text) => unknown(member, text))
  const has = (member: Member): boolean => textIn(rules.get(member), record) !== ''
  const id = value('id')
  const rolesAreOurs = rules.get('role')?.values !== undefined
  const role = rolesAreOurs ? value('role') : undefined
  const hash = value('password_hash')
  const clear = value('password')
  const totp = textIn(rules.get('totp_secret'), record)
  if (hash !== undefined && clear !== undefined)
    left.push({ what: 'plain-text password', why: 'there is a hash as well' })
  return {
    id: id ?? place,
    ...(id === undefined && { idIsPlace: true as const }),
    username: value('username'),
    email: value('email'),
    ...(has('email_verified') && { emailVerified: flag('email_verified') }),
    phone: value('phone'),
    firstName: value('first_name'),
    lastName: value('last_name'),
    fullName: value('name'),
    externalId: value('external_id'),
    // Whatever is not said to be active is not.
    active: !has('active') || flag('active'),
    // A mapping that spells out values has said which role each of them is.
    roles: rolesAreOurs ? [] : rolesIn(rules.get('role'), record),
    ...(rolesAreOurs && { role }),
    password:
      hash !== undefined
        ? { hash }
        : clear !== undefined
          ? { clear }
          : ready.noPassword === undefined
            ? noPassword
            : { none: ready.noPassword },
    ...(Object.keys(attributes).length > 0 && { attributes }),
    ...(totp !== '' && { totp: [totpOfUri(totp) ?? { secret: totp }] }),
    ...(has('must_change_password') && { mustChangePassword: flag('must_change_password') }),
    createdAt: value('created_at'),
    lastLoginAt: value('last_login_at'),
    leftBehind: eachOnce(left),
  }
}

const unknownValue = 'the meaning of this value is unknown'

function textIn(rule: Rule | undefined, record: JsonObject): string {
  for (const parts of rule?.alternatives ?? []) {
    const texts = parts.map((part, i) => (i % 2 === 0 ? part : (textsAt(record, part)[0] ?? '')))
    const text = texts.join('').replaceAll(/\s+/g, ' ').trim()
    if (text !== '') return text
  }
  return ''
}

/** A text that is not of the type stays a text, so that the server names the fault. */
function typed({ type }: Rule, text: string | undefined): AttributeValue | undefined {
  if (text === undefined || type === undefined) return text
  return type === 'boolean' ? (flagIn(text) ?? text) : fromCell({ type }, text, 'unambiguous')
}

/** All elements of a path, or a text in which semicolons separate them. */
function listIn({ alternatives }: Rule, record: JsonObject): string[] | undefined {
  const values = alternatives
    .flatMap((parts) => parts.filter((_, i) => i % 2 === 1))
    .flatMap((path) => valuesAt(record, path))
  const found = values.flatMap((value) =>
    Array.isArray(value)
      ? value.flatMap((one) => textOf(one) ?? [])
      : (fromCell({ type: 'string[]' }, textOf(value) ?? '') as string[]),
  )
  const texts = [...new Set(found.filter((text) => text !== ''))]
  return texts.length === 0 ? undefined : texts
}

/** A user can have several, from all alternatives. */
function rolesIn(rule: Rule | undefined, record: JsonObject): string[] {
  const texts = (rule?.alternatives ?? []).flatMap((parts) =>
    parts.length === 3 && parts[0] === '' && parts[2] === ''
      ? textsAt(record, parts[1] ?? '')
      : textIn({ alternatives: [parts] }, record),
  )
  return [...new Set(texts.filter((text) => text !== ''))]
}

function isTrue(text: string | undefined, unknown: (text: string) => void): boolean {
  const flag = text === undefined ? false : flagIn(text)
  if (flag === undefined) unknown(text ?? '')
  return flag ?? false
}

function flagIn(text: string): boolean | undefined {
  if (/^(?:false|f|0|no|n)$/i.test(text)) return false
  return /^(?:true|t|1|yes|y)$/i.test(text) ? true : undefined
}

export const expectedMapping =
  'JSON such as {"members": {"username": "login", "email": "mail", "first_name": "{given} {middle}", "role": {"column": "team", "values": {"ops": "admin"}}}}; for JSON files with paths such as "emails.0.value", and "rows" for the path of the list'

export function readMapping(text: string): Mapping {
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    throw new OperatorError(`The mapping is not valid JSON; expected ${expectedMapping}.`)
  }
  // Without "members", the object itself has the members.
  const object = objectOf(json)
  const { delimiter, rows, members: within, ...rest } = object
  const isMember = (name: string) => members.some((member) => member === name)
  const isFlat = within === undefined && Object.keys(rest).some((name) => isMember(name) || attributeForm.test(name))
  const source = isFlat ? rest : objectOf(within)
  const faults: string[] = isFlat ? [] : Object.keys(rest).map((name) => `has the unknown member ${shortened(name)}`)
  if (delimiter !== undefined && (typeof delimiter !== 'string' || delimiter.length !== 1))
    faults.push('has a delimiter that is not one character')
  if (rows !== undefined && (typeof rows !== 'string' || rows === '')) faults.push('has rows that are not a path')
  const rules = new Map<Member, Rule>()
  const attributes = new Map<string, Rule>()
  for (const [name, rule] of Object.entries(source)) {
    const member = members.find((each) => each === name)
    const [, attribute] = attributeForm.exec(name) ?? []
    const read = readRule(rule)
    const accepted = `${members.join(', ')} or attributes.…`
    if (member === undefined && attribute === undefined)
      faults.push(`maps ${shortened(name)}, which is not one of ${accepted}`)
    else if (read === undefined) faults.push(`has neither a column, a path, a template nor a constant for ${name}`)
    else if (attribute !== undefined) attributes.set(attribute, read)
    else if (read.type !== undefined) faults.push(`has a type for ${name}, which is no attribute`)
    else if (member !== undefined) rules.set(member, read)
  }
  if (!rules.has('username') && !rules.has('email')) faults.push('maps neither username nor email')
  if (faults.length > 0) throw new OperatorError(`The mapping ${faults.join('; it ')}. Expected ${expectedMapping}.`)
  const pathsOf = ({ alternatives }: Rule) =>
    alternatives.flatMap((parts) => parts.filter((_, i) => i % 2 === 1 && parts[i] !== ''))
  const all = [...rules.values(), ...attributes.values()]
  return {
    delimiter: delimiter as string | undefined,
    rows: rows as string | undefined,
    rules,
    attributes,
    paths: new Set(all.flatMap(pathsOf)),
    needed: all.filter(({ alternatives }) => alternatives.length === 1).flatMap(pathsOf),
  }
}

/** Our roles that the mapping gives, and for which value of the file. */
export function rolesOfMapping(text: string): { from?: string; role: string }[] {
  const { values, otherwise } = readMapping(text).rules.get('role') ?? {}
  if (values === undefined) return []
  const roles = [...values].map(([from, role]) => ({ from, role }))
  return otherwise === undefined || otherwise === '' ? roles : [...roles, { role: otherwise }]
}

function readRule(input: unknown): Rule | undefined {
  const simple = alternativesIn(input)
  if (simple !== undefined) return { alternatives: simple }
  const { column, path, template: pattern, constant, values, otherwise, type: typeName, ...others } = objectOf(input)
  const type = types.find((one) => one === typeName)
  if (Object.keys(others).length > 0 || (typeName !== undefined && type === undefined)) return undefined
  if ([column, path, pattern, constant].filter((each) => each !== undefined).length !== 1) return undefined
  const alternatives =
    alternativesIn(column ?? path, true) ??
    (typeof pattern === 'string' ? [template(pattern)] : constant === undefined ? undefined : [[String(constant)]])
  if (alternatives === undefined) return undefined
  const entries = Object.entries(objectOf(values)).map(([from, to]) => [from, textOf(to) ?? String(to)] as const)
  return {
    alternatives,
    ...(type !== undefined && { type }),
    ...(values !== undefined && { values: new Map(entries) }),
    ...(otherwise !== undefined && { otherwise: String(otherwise) }),
  }
}

/** A column or path, a template, or a list of them. */
function alternativesIn(input: unknown, isLiteral = false): string[][] | undefined {
  const texts = Array.isArray(input) ? input : [input]
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string' && text !== '')) return undefined
  return (texts as string[]).map((text) => (!isLiteral && text.includes('{') ? template(text) : ['', text, '']))
}

function template(text: string): string[] {
  return text.split(/\{([^{}]+)\}/)
}
