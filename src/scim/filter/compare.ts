/** Compares single values by the type of their attribute (RFC 7644 §3.4.2.2). */
import { ScimError } from '../protocol/errors.ts'
import type { Json } from '../protocol/json.ts'
import type { Attribute } from '../schemas/attribute.ts'
import { readDateTime } from '../schemas/date-time.ts'
import type { Literal, Operator } from './ast.ts'

/** Says whether a value passes; undefined stands for an attribute without a value. */
type ValueTest = (value: Json | undefined) => boolean

type Order = (sign: number) => boolean

const orders: Partial<Record<Operator, Order>> = {
  eq: (sign) => sign === 0,
  ne: (sign) => sign !== 0,
  gt: (sign) => sign > 0,
  ge: (sign) => sign >= 0,
  lt: (sign) => sign < 0,
  le: (sign) => sign <= 0,
}

/**
 * @param booleansAsText whether `active eq "True"` is understood
 * @throws ScimError `invalidFilter` if the type of the attribute does not have the comparison
 */
export function compileComparison(
  attribute: Attribute,
  operator: Operator,
  literal: Literal,
  booleansAsText: boolean,
): ValueTest {
  if (literal === null) return compileNull(attribute, operator)
  const test = compileValue(attribute, operator, literal, booleansAsText)
  // A missing value equals no value and cannot be ordered.
  return (value) => (value === undefined || value === null ? operator === 'ne' : test(value))
}

function compileNull(attribute: Attribute, operator: Operator): ValueTest {
  const isMissing = (value: Json | undefined) => value === undefined || value === null
  if (operator === 'eq') return isMissing
  if (operator === 'ne') return (value) => !isMissing(value)
  throw refusal(attribute, 'null can be compared only with eq and ne.')
}

function compileValue(
  attribute: Attribute,
  operator: Operator,
  literal: string | number | boolean,
  booleansAsText: boolean,
): (value: Json) => boolean {
  switch (attribute.type) {
    case 'binary':
      return compileBinary(attribute, operator, literal)
    case 'boolean':
      return compileBoolean(attribute, operator, literal, booleansAsText)
    case 'decimal':
    case 'integer':
      return compileNumber(attribute, operator, literal)
    case 'dateTime':
      return compileTime(attribute, operator, literal)
    case 'complex':
      throw refusal(attribute, 'It is complex: compare one of its sub-attributes.')
    default:
      return compileText(attribute, operator, literal)
  }
}

function compileBoolean(
  attribute: Attribute,
  operator: Operator,
  literal: Literal,
  booleansAsText: boolean,
): (value: Json) => boolean {
  if (operator !== 'eq' && operator !== 'ne') throw refusal(attribute, 'A boolean can be compared only with eq and ne.')
  const word = booleansAsText && typeof literal === 'string' ? literal.toLowerCase() : undefined
  const wanted = word === 'true' ? true : word === 'false' ? false : literal
  if (typeof wanted !== 'boolean') throw refusal(attribute, 'It is a boolean: write true or false, without quotes.')
  return (value) => (value === wanted) === (operator === 'eq')
}

/** RFC 7644 §3.4.2.2: binary values have no order. */
function compileBinary(attribute: Attribute, operator: Operator, literal: Literal): (value: Json) => boolean {
  if (['gt', 'ge', 'lt', 'le'].includes(operator)) throw refusal(attribute, 'Binary values have no order.')
  return compileText(attribute, operator, literal)
}

function compileNumber(attribute: Attribute, operator: Operator, literal: Literal): (value: Json) => boolean {
  const passes = orders[operator]
  if (passes === undefined) throw refusal(attribute, 'A number can be compared only with eq, ne, gt, ge, lt and le.')
  if (typeof literal !== 'number') throw refusal(attribute, 'It is a number: write one, without quotes.')
  return (value) => typeof value === 'number' && passes(value - literal)
}

function compileTime(attribute: Attribute, operator: Operator, literal: Literal): (value: Json) => boolean {
  if (typeof literal !== 'string') throw refusal(attribute, 'It is a time: write it as a string.')
  const passes = orders[operator]
  if (passes === undefined) return compileText(attribute, operator, literal)
  const wanted = readDateTime(literal)
  if (wanted === undefined) throw refusal(attribute, 'It is a time: write it as "2026-11-20T09:30:00Z".')
  return (value) => {
    const time = typeof value === 'string' ? readDateTime(value) : undefined
    return time === undefined ? operator === 'ne' : passes(time - wanted)
  }
}

function compileText(attribute: Attribute, operator: Operator, literal: Literal): (value: Json) => boolean {
  if (typeof literal !== 'string') throw refusal(attribute, 'It is a string: write the value in quotation marks.')
  const key = (text: string) => (attribute.caseExact ? text : foldCase(text))
  const wanted = key(literal)
  const test = textTests[operator]
  return (value) => typeof value === 'string' && test(key(value), wanted)
}

const textTests: Record<Operator, (value: string, wanted: string) => boolean> = {
  eq: (value, wanted) => value === wanted,
  ne: (value, wanted) => value !== wanted,
  co: (value, wanted) => value.includes(wanted),
  sw: (value, wanted) => value.startsWith(wanted),
  ew: (value, wanted) => value.endsWith(wanted),
  gt: (value, wanted) => value > wanted,
  ge: (value, wanted) => value >= wanted,
  lt: (value, wanted) => value < wanted,
  le: (value, wanted) => value <= wanted,
}

/** Returns the form in which texts are compared ignoring case. */
export function foldCase(text: string): string {
  return /^[ -~]*$/.test(text) ? text.toLowerCase() : text.normalize('NFC').toLowerCase().normalize('NFC')
}

function refusal({ name }: Attribute, what: string): ScimError {
  return new ScimError('invalidFilter', `The filter cannot compare ${name} in this way. ${what}`)
}
