/** Definitions of attributes and schemas as data (RFC 7643 §2 and §7). */

export type AttributeType =
  | 'string'
  | 'boolean'
  | 'decimal'
  | 'integer'
  | 'dateTime'
  | 'binary'
  | 'reference'
  | 'complex'

export interface Attribute {
  readonly name: string
  readonly type: AttributeType
  readonly multiValued: boolean
  readonly description: string
  readonly required: boolean
  readonly caseExact: boolean
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly'
  readonly returned: 'always' | 'never' | 'default' | 'request'
  readonly uniqueness: 'none' | 'server' | 'global'
  /** Suggestions: other values are accepted too. */
  readonly canonicalValues?: readonly string[]
  readonly referenceTypes?: readonly string[]
  /** Present if and only if the type is complex. */
  readonly subAttributes?: readonly Attribute[]
}

export interface Schema {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly Attribute[]
}

export type AttributeOptions = Partial<Omit<Attribute, 'name' | 'type' | 'description' | 'subAttributes'>>

/** Defines a simple attribute. Defaults are those of RFC 7643 §2.2, except that we write each of them out. */
export function simple(
  name: string,
  type: Exclude<AttributeType, 'complex'>,
  description: string,
  options: AttributeOptions = {},
): Attribute {
  return { name, type, description, ...defaults, ...options }
}

/** Defines a text that is compared ignoring case. */
export function text(name: string, description: string, options: AttributeOptions = {}): Attribute {
  return simple(name, 'string', description, options)
}

/** Defines a complex attribute. */
export function complex(
  name: string,
  description: string,
  subAttributes: readonly Attribute[],
  options: AttributeOptions = {},
): Attribute {
  return { name, type: 'complex', description, ...defaults, ...options, subAttributes }
}

const defaults = {
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
} as const
