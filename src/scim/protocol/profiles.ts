/** What a provisioning connection accepts beyond the RFC, for well-known clients. */

import type { ProfileName } from '../../directory/provisioning/schema.ts'

export interface Habits {
  /** `"active": "False"`, and `primary` likewise. */
  booleansAsText: boolean
  /** `"op": "Replace"`. */
  capitalizedOps: boolean
  /** A PATCH without operations changes nothing. */
  emptyOperations: boolean
  /** `{"op": "remove", "path": "members", "value": [{"value": "…"}]}` removes these members, not all. */
  removalByValue: boolean
  /** `"name.givenName"` and `"urn:…:User:department"` as keys of a value, and `manager` without its URN. */
  flattenedKeys: boolean
  /** `emails[type eq "work"].value` creates the work email when there is none. */
  createsMissing: boolean
  /** `"manager": "26118915"`, and `[{"value": "x"}]` for a value that is not a list. */
  looseValues: boolean
  /** `filter=userName eq ada`, without quotation marks. */
  unquotedValues: boolean
  /** Ignores unknown attributes and schemas, and read-only attributes. */
  ignoresUnknown: boolean
}

/** Ends the text of a refusal that another profile would avoid. */
export const profileHint = ' If the client cannot do that, give its connection the profile okta or entra.'

const none: Habits = {
  booleansAsText: false,
  capitalizedOps: false,
  emptyOperations: false,
  removalByValue: false,
  flattenedKeys: false,
  createsMissing: false,
  looseValues: false,
  unquotedValues: false,
  ignoresUnknown: false,
}
const all: Habits = {
  booleansAsText: true,
  capitalizedOps: true,
  emptyOperations: true,
  removalByValue: true,
  flattenedKeys: true,
  createsMissing: true,
  looseValues: true,
  unquotedValues: true,
  ignoresUnknown: true,
}

export const profiles: Readonly<Record<ProfileName, Habits>> = {
  strict: none,
  okta: all,
  entra: all,
  google: none,
  jumpcloud: none,
}

export type { ProfileName } from '../../directory/provisioning/schema.ts'
