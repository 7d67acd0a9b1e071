/** Selects a response's attributes by `attributes`, `excludedAttributes` and `returned` (RFC 7644 §3.9, RFC 7643 §7). */
import { isArray, isObject, type Json, type JsonObject } from '../protocol/json.ts'
import type { Attribute } from './attribute.ts'
import { readAttributePath } from './attribute-path.ts'
import { type Definition, findTarget, subAttributes } from './definition.ts'

export interface ProjectionRequest {
  readonly attributes?: readonly string[]
  readonly excludedAttributes?: readonly string[]
}

export type Projection = (resource: JsonObject) => JsonObject

/** Sub-attributes by the name of their attribute; true means the whole attribute. */
type Names = Map<string, true | Set<string>>
/** By URN of the extension; '' for the main schema. */
type Selection = { whole: Set<string>; names: Map<string, Names> }

/**
 * Returns a function that selects the attributes of a response. Unknown names are skipped: one request may ask
 * for attributes of several types.
 */
export function compileProjection(definition: Definition, request: ProjectionRequest): Projection {
  const { attributes: wanted = [], excludedAttributes: unwanted = [] } = request
  const only = wanted.length > 0 ? select(definition, wanted) : undefined
  const without = select(definition, unwanted)
  const pick = (members: JsonObject, attributes: ReadonlyMap<string, Attribute>, urn: string) =>
    pickMembers(members, attributes, {
      all: only?.whole.has(urn) ?? false,
      only: only && (only.names.get(urn) ?? new Map()),
      without: without.names.get(urn) ?? new Map(),
    })
  const extensions = new Map([...definition.extensions.values()].map((extension) => [extension.schema.id, extension]))
  return (resource) => {
    const main = pick(resource, definition.attributes, '')
    const picked: Record<string, Json> = {}
    for (const [name, value] of Object.entries(resource)) {
      const extension = extensions.get(name)
      if (extension === undefined) {
        if (main[name] !== undefined) picked[name] = main[name]
      } else if (isObject(value) && !without.whole.has(name)) {
        const part = pick(value, extension.attributes, name)
        if (Object.keys(part).length > 0) picked[name] = part
      }
    }
    return picked
  }
}

function select(definition: Definition, paths: readonly string[]): Selection {
  const selection: Selection = { whole: new Set(), names: new Map() }
  for (const path of paths) {
    // Entra's test collection asks for `emails[type eq "work"]`: all values, as if it had asked for `emails`.
    const read = readAttributePath(path.replace(/\[.*\]/, '').trim())
    const target = read && findTarget(definition, read)
    if (target === undefined) continue
    if (target.kind === 'extension') {
      selection.whole.add(target.urn)
      continue
    }
    const { urn = '', attribute, sub } = target
    const names: Names = selection.names.get(urn) ?? new Map()
    selection.names.set(urn, names)
    const subs = names.get(attribute.name)
    if (sub === undefined) names.set(attribute.name, true)
    else if (subs !== true) names.set(attribute.name, (subs ?? new Set()).add(sub.name))
  }
  return selection
}

type Choice = { all: boolean; only: Names | undefined; without: Names }

function pickMembers(
  members: JsonObject,
  attributes: ReadonlyMap<string, Attribute>,
  { all, only, without }: Choice,
): Record<string, Json> {
  const picked: Record<string, Json> = {}
  for (const [name, value] of Object.entries(members)) {
    const attribute = attributes.get(name.toLowerCase())
    if (attribute === undefined || attribute.returned === 'never') continue
    const wanted = all || only === undefined || only.get(name)
    const unwanted = without.get(name)
    if (attribute.returned !== 'always') {
      if (!wanted || unwanted === true) continue
      if (attribute.returned === 'request' && !all && only === undefined) continue
    }
    const part = pickSubAttributes(attribute, value, wanted instanceof Set ? wanted : undefined, unwanted || undefined)
    if (part !== undefined) picked[name] = part
  }
  return picked
}

function pickSubAttributes(
  attribute: Attribute,
  value: Json,
  wanted: Set<string> | undefined,
  unwanted: true | Set<string> | undefined,
): Json | undefined {
  if (attribute.type !== 'complex') return value
  const hidden = unwanted instanceof Set ? unwanted : undefined
  const known = subAttributes(attribute)
  if (wanted === undefined && hidden === undefined && !hasRules(attribute)) return value
  const pickOne = (one: Json): Json | undefined => {
    if (!isObject(one)) return undefined
    const parts = Object.entries(one).filter(([name]) => {
      const returned = known.get(name.toLowerCase())?.returned
      if (returned === undefined || returned === 'never') return false
      if (returned === 'always') return true
      return wanted === undefined ? returned === 'default' && !hidden?.has(name) : wanted.has(name)
    })
    return parts.length > 0 ? Object.fromEntries(parts) : undefined
  }
  if (!isArray(value)) return pickOne(value)
  const parts = value.map(pickOne).filter((one) => one !== undefined)
  return parts.length > 0 ? parts : undefined
}

function hasRules(attribute: Attribute): boolean {
  return attribute.subAttributes?.some(({ returned }) => returned !== 'default') ?? false
}
