/** Resource types with their attributes, found by name ignoring case (RFC 7643 §2.1, §6). */
import { nearestName } from '../../lib/nearest-name.ts'
import { enterpriseUserUrn } from '../protocol/urns.ts'
import type { Attribute, Schema } from './attribute.ts'
import type { AttributePath } from './attribute-path.ts'
import { commonAttributes } from './common.ts'
import { enterpriseUserSchema } from './enterprise-user.ts'
import { groupSchema } from './group.ts'
import { rollbookUserSchema } from './rollbook-user.ts'
import { userSchema } from './user.ts'

type AttributesByName = ReadonlyMap<string, Attribute>

export interface Extension {
  readonly schema: Schema
  readonly attributes: AttributesByName
}

export interface Definition {
  readonly name: string
  readonly description: string
  /** The path of the resources below the base, such as `/Users`. */
  readonly endpoint: string
  readonly schema: Schema
  /** The attributes of the main schema and the common ones, by name in lower case. */
  readonly attributes: AttributesByName
  /** By URN in lower case. */
  readonly extensions: ReadonlyMap<string, Extension>
}

/** What a path names in a resource type: an attribute, or all attributes of an extension. */
export type Target = AttributeTarget | { readonly kind: 'extension'; readonly urn: string }

export interface AttributeTarget {
  readonly kind: 'attribute'
  /** The extension that has the attribute, as the schema spells its URN. */
  readonly urn: string | undefined
  readonly attribute: Attribute
  readonly sub: Attribute | undefined
}

export function defineResource(
  type: Pick<Definition, 'name' | 'description' | 'endpoint' | 'schema'>,
  extensions: readonly Schema[] = [],
): Definition {
  return {
    ...type,
    attributes: byName([...commonAttributes, ...type.schema.attributes]),
    extensions: new Map(
      extensions.map((schema) => [schema.id.toLowerCase(), { schema, attributes: byName(schema.attributes) }]),
    ),
  }
}

export const userDefinition = defineResource(
  { name: 'User', description: 'User Account', endpoint: '/Users', schema: userSchema },
  [enterpriseUserSchema, rollbookUserSchema],
)

export const groupDefinition = defineResource({
  name: 'Group',
  description: 'Group',
  endpoint: '/Groups',
  schema: groupSchema,
})

/** Returns what a path names, or undefined if the resource type does not have it. */
export function findTarget(definition: Definition, { urn, name, sub }: AttributePath): Target | undefined {
  const schema = urn?.toLowerCase()
  if (schema === undefined || schema === definition.schema.id.toLowerCase()) {
    return attributeTarget(definition.attributes, undefined, name, sub)
  }
  const extension = definition.extensions.get(schema)
  if (extension !== undefined) return attributeTarget(extension.attributes, extension.schema.id, name, sub)
  // The last part of a URN reads as a name. Older clients then write a dot before the attribute.
  const whole = definition.extensions.get(`${schema}:${name.toLowerCase()}`)
  if (whole === undefined) return undefined
  if (sub === undefined) return { kind: 'extension', urn: whole.schema.id }
  return attributeTarget(whole.attributes, whole.schema.id, sub, undefined)
}

/** Adds the URN of the attribute's extension, which Entra sometimes omits: `manager`. */
export function qualified(definition: Definition, path: AttributePath): AttributePath {
  const name = path.name.toLowerCase()
  if (path.urn !== undefined || definition.attributes.has(name)) return path
  const extension = [...definition.extensions.values()].find(({ attributes }) => attributes.has(name))
  return extension === undefined ? path : { ...path, urn: extension.schema.id }
}

function attributeTarget(
  attributes: AttributesByName,
  urn: string | undefined,
  name: string,
  subName: string | undefined,
): AttributeTarget | undefined {
  const attribute = attributes.get(name.toLowerCase())
  if (attribute === undefined) return undefined
  const sub = subName === undefined ? undefined : subAttribute(attribute, subName)
  if (subName !== undefined && sub === undefined) return undefined
  return { kind: 'attribute', urn, attribute, sub }
}

export function subAttribute(attribute: Attribute, name: string): Attribute | undefined {
  return subAttributes(attribute).get(name.toLowerCase())
}

const subAttributesByAttribute = new WeakMap<Attribute, AttributesByName>()

/** Returns the sub-attributes by name in lower case; none for an attribute that is not complex. */
export function subAttributes(attribute: Attribute): AttributesByName {
  let found = subAttributesByAttribute.get(attribute)
  if (found === undefined) {
    found = byName(attribute.subAttributes ?? [])
    subAttributesByAttribute.set(attribute, found)
  }
  return found
}

function byName(attributes: readonly Attribute[]): AttributesByName {
  return new Map(attributes.map((attribute) => [attribute.name.toLowerCase(), attribute]))
}

/** Describes an unknown path, and lists the names that the resource type has. */
export function unknownPath(definition: Definition, { name, sub }: AttributePath): string {
  const attribute = definition.attributes.get(name.toLowerCase())
  if (attribute === undefined) {
    return `${attributeCalled(name)}, which a ${definition.name} does not have.${suggestion(name, definition.attributes)}`
  }
  if (sub === undefined) return `${attributeCalled(name)} with the URN of a schema that does not have it.`
  const names = [...subAttributes(attribute).values()].map((one) => one.name)
  if (names.length === 0) return `a sub-attribute of ${attribute.name}, which does not have any.`
  return `a sub-attribute that ${attribute.name} does not have. Use ${names.join(', ')}.`
}

/** Describes an unknown attribute, by name unless that may be a misplaced value. */
export function attributeCalled(name: string): string {
  return /^[A-Za-z]{1,40}$/.test(name) ? `the attribute ${name}` : 'an attribute'
}

/** Returns the end of a sentence about an unknown name: the name that was probably meant. */
export function suggestion(name: string, attributes: AttributesByName): string {
  const nearest = nearestName(
    name,
    [...attributes.values()].map((attribute) => attribute.name),
  )
  if (nearest !== undefined) return ` Did you mean ${nearest}?`
  const enterprise = enterpriseUserSchema.attributes.find((one) => one.name.toLowerCase() === name.toLowerCase())
  return enterprise === undefined ? '' : ` Did you mean ${enterpriseUserUrn}:${enterprise.name}?`
}
