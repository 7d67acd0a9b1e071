/** A filter as data (RFC 7644 §3.4.2.2). */
import type { AttributePath } from '../schemas/attribute-path.ts'

export type Operator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'
export type Literal = string | number | boolean | null

/** `userName eq "ada"` */
export interface Comparison {
  readonly kind: 'compare'
  readonly path: AttributePath
  readonly operator: Operator
  readonly value: Literal
}

/** `title pr` */
export interface Presence {
  readonly kind: 'present'
  readonly path: AttributePath
}

export type Test = Comparison | Presence

/**
 * `emails[type eq "work"]`: a value of the list matches the filter. With a test, as Entra sends it
 * (`emails[type eq "work"].value eq "a@x"`), the same value also passes the test.
 */
export interface ElementMatch {
  readonly kind: 'element'
  readonly path: AttributePath
  readonly filter: Filter
  readonly test?: Test
}

export interface Not {
  readonly kind: 'not'
  readonly filter: Filter
}

/** `a and b and c`. A list, so that a long chain is not a deep tree; it has two filters or more. */
interface Chain {
  readonly kind: 'and' | 'or'
  readonly filters: readonly Filter[]
}

export type Filter = Test | ElementMatch | Not | Chain
