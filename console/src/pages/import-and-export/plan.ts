/** The plan of an import, and the part of it kept for a reloaded page. */
import type { AttributeTypes, Mapping } from './columns.ts'
import type { Shape } from './shape.ts'

export type ImportOptions = {
  mode: 'create' | 'update'
  on_conflict: 'reject' | 'skip'
  match: 'username' | 'email' | 'external_id' | 'user_id'
}

export type ImportPlan = {
  file: File
  shape: Shape
  /** For CSV only. */
  mapping: Mapping
  /** Undefined in a plan that an earlier release kept. */
  types?: AttributeTypes
  options: ImportOptions
  /** The number of rows, once the file was read to its end. */
  totalRows?: number | undefined
}

/** A random UUID. Browsers have no `crypto.randomUUID` on plain http. */
export function newJobId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
