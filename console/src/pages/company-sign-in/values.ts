/** The values of the fields as a person types them, and as the API takes them. */
import type { SignInConnection, UpdateSignInConnection } from 'rollbook/client'
import type { Field } from './fields.ts'

export type Pair = readonly [left: string, right: string]
export type Value = string | boolean | readonly Pair[]
export type Values = Readonly<Record<string, Value>>

export function valuesOf(fields: readonly Field[], connection: Partial<SignInConnection>): Values {
  return Object.fromEntries(
    fields.map((field) => [field.name, typedOf(field, (connection as Record<string, unknown>)[field.name])]),
  )
}

function typedOf({ type, name }: Field, stored: unknown): Value {
  if (type === 'check') return stored === true
  if (type === 'pairs') return Object.entries((stored ?? {}) as Record<string, string>)
  if (name === 'certificates') return ((stored ?? []) as readonly string[]).join('\n')
  if (type === 'lines') return ((stored ?? []) as readonly string[]).join('\n')
  return stored === undefined || stored === null ? '' : String(stored)
}

/** Returns the differences from `before` as a body for the API. */
export function changesOf(fields: readonly Field[], values: Values, before: Values): UpdateSignInConnection {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = values[field.name]
      if (value === undefined || JSON.stringify(value) === JSON.stringify(before[field.name])) return []
      return [[field.name, sentOf(field, value)]]
    }),
  )
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

function sentOf(field: Field, value: Value): unknown {
  if (field.type === 'pairs')
    return Object.fromEntries((value as readonly Pair[]).filter(([left, right]) => left !== '' && right !== ''))
  if (typeof value !== 'string') return value
  // An invalid text is sent unchanged, so that the service can report the error.
  if (field.name === 'certificates') return value.match(certificate) ?? [value]
  if (field.type === 'lines') {
    const lines = value.split('\n').map((line) => line.trim())
    return [...new Set(lines.filter((line) => line !== ''))]
  }
  const isEmpty = value.trim() === ''
  if ('isNullable' in field && field.isNullable === true && isEmpty) return null
  if (field.type === 'number') return Number(value)
  return field.type === 'secret' ? value : value.trim()
}
