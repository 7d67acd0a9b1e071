/** A CSV file of anybody's, with a mapping that says which column is what. */
import { OperatorError } from '../../core/errors.ts'
import { csvRows } from './csv.ts'
import { objectOf, textOf } from './json.ts'
import { eachOnce, type Found, noPassword, type Person, shortened } from './person.ts'
import type { SourceOptions } from './source.ts'

const members = [
  ...['id', 'username', 'email', 'first_name', 'last_name', 'name', 'role', 'active', 'password', 'password_hash'],
  ...['created_at', 'last_login_at'],
] as const
type Member = (typeof members)[number]

type Rule = {
  /** Literal texts and, at the odd places, names of columns. */
  parts: readonly string[]
  values?: ReadonlyMap<string, string>
  otherwise?: string
}

type Mapping = { delimiter: string | undefined; rules: ReadonlyMap<Member, Rule>; columns: ReadonlySet<string> }

const expected = 'a CSV file whose header line has the columns of the mapping'

export async function* readMappedCsv(
  input: AsyncIterable<Uint8Array>,
  { mapping: text }: SourceOptions,
): AsyncGenerator<Found> {
  if (text === undefined) throw new OperatorError(`A CSV file needs a mapping: ${expectedMapping}.`)
  const mapping = readMapping(text)
  let position = 0
  for await (const one of csvRows(input, expected, { delimiter: mapping.delimiter, needs: [...mapping.columns] })) {
    if ('leftOut' in one) {
      yield one
      continue
    }
    const { row, line } = one
    position++
    if (position === 1) {
      for (const column of Object.keys(row))
        if (!mapping.columns.has(column))
          yield { leftOut: { what: `column ${shortened(column)}`, why: 'it is not in the mapping' } }
    }
    yield { person: personIn(line, row, mapping), line }
  }
}

function personIn(line: number, row: Record<string, string>, { rules }: Mapping): Person {
  const left: { what: string; why: string }[] = []
  const unknown = (member: Member, text: string): undefined => {
    left.push({ what: `${member} ${shortened(text)}`, why: unknownValue })
  }
  const value = (member: Member): string | undefined => {
    const text = textIn(rules.get(member), row)
    if (text === '') return undefined
    const { values, otherwise } = rules.get(member) ?? {}
    return (values === undefined ? text : (values.get(text) ?? otherwise)) || unknown(member, text)
  }
  const id = value('id')
  const role = value('role')
  const rolesAreOurs = rules.get('role')?.values !== undefined
  const hash = value('password_hash')
  const clear = value('password')
  if (hash !== undefined && clear !== undefined)
    left.push({ what: 'plain-text password', why: 'there is a hash as well' })
  return {
    id: id ?? `line ${line}`,
    ...(id === undefined && { idIsPlace: true as const }),
    username: value('username'),
    email: value('email'),
    firstName: value('first_name'),
    lastName: value('last_name'),
    fullName: value('name'),
    // Whatever is not said to be active is not.
    active: textIn(rules.get('active'), row) === '' || isTrue(value('active'), (text) => unknown('active', text)),
    // A mapping that spells out values has said which role each of them is.
    roles: role === undefined || rolesAreOurs ? [] : [role],
    ...(rolesAreOurs && { role }),
    password: hash !== undefined ? { hash } : clear !== undefined ? { clear } : noPassword,
    createdAt: value('created_at'),
    lastLoginAt: value('last_login_at'),
    leftBehind: eachOnce(left),
  }
}

const unknownValue = 'the meaning of this value is unknown'

function textIn(rule: Rule | undefined, row: Record<string, string>): string {
  const parts = rule?.parts.map((part, i) => (i % 2 === 0 ? part : (row[part] ?? '')))
  return parts?.join('').trim() ?? ''
}

function isTrue(text: string | undefined, unknown: (text: string) => void): boolean {
  if (text === undefined || /^(?:false|f|0|no|n)$/i.test(text)) return false
  if (/^(?:true|t|1|yes|y)$/i.test(text)) return true
  unknown(text)
  return false
}

const expectedMapping =
  'JSON such as {"members": {"username": "login", "email": "mail", "first_name": "{given} {middle}", "role": {"column": "team", "values": {"ops": "admin"}}}}'

function readMapping(text: string): Mapping {
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    throw new OperatorError(`The mapping is not valid JSON; expected ${expectedMapping}.`)
  }
  const { delimiter, members: given, ...others } = objectOf(json)
  const faults: string[] = Object.keys(others).map((name) => `has the unknown member ${shortened(name)}`)
  if (delimiter !== undefined && (typeof delimiter !== 'string' || delimiter.length !== 1))
    faults.push('has a delimiter that is not one character')
  const rules = new Map<Member, Rule>()
  for (const [name, rule] of Object.entries(objectOf(given))) {
    const member = members.find((each) => each === name)
    const read = readRule(rule)
    if (member === undefined) faults.push(`maps ${shortened(name)}, which is not one of ${members.join(', ')}`)
    else if (read === undefined) faults.push(`has neither a column, a template nor a constant for ${name}`)
    else rules.set(member, read)
  }
  if (!rules.has('username') && !rules.has('email')) faults.push('maps neither username nor email')
  if (faults.length > 0) throw new OperatorError(`The mapping ${faults.join('; it ')}. Expected ${expectedMapping}.`)
  const columns = new Set([...rules.values()].flatMap(({ parts }) => parts.filter((_, i) => i % 2 === 1)))
  return { delimiter: delimiter as string | undefined, rules, columns }
}

/** Our roles that the mapping gives, and for which value of the file. */
export function rolesOfMapping(text: string): { from?: string; role: string }[] {
  const { values, otherwise } = readMapping(text).rules.get('role') ?? {}
  if (values === undefined) return []
  const roles = [...values].map(([from, role]) => ({ from, role }))
  return otherwise === undefined || otherwise === '' ? roles : [...roles, { role: otherwise }]
}

function readRule(given: unknown): Rule | undefined {
  if (typeof given === 'string') return given.includes('{') ? { parts: template(given) } : columnRule(given)
  const { column, template: pattern, constant, values, otherwise, ...others } = objectOf(given)
  if (Object.keys(others).length > 0) return undefined
  if ([column, pattern, constant].filter((each) => each !== undefined).length !== 1) return undefined
  const rule =
    typeof column === 'string'
      ? columnRule(column)
      : typeof pattern === 'string'
        ? { parts: template(pattern) }
        : constant === undefined
          ? undefined
          : { parts: [String(constant)] }
  if (rule === undefined) return undefined
  const entries = Object.entries(objectOf(values)).map(([from, to]) => [from, textOf(to) ?? String(to)] as const)
  return {
    ...rule,
    ...(values !== undefined && { values: new Map(entries) }),
    ...(otherwise !== undefined && { otherwise: String(otherwise) }),
  }
}

function columnRule(column: string): Rule | undefined {
  return column === '' ? undefined : { parts: ['', column] }
}

function template(text: string): string[] {
  return text.split(/\{([^{}]+)\}/)
}
