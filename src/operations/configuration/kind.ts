/**
 * A kind of object that a configuration file can describe. A new kind is a module in kinds/, and a row in its list. Each uses the
 * rules of its own room, so a file can do nothing that its caller could not do one request at a time.
 */
import type { Actor } from '../../core/actor.ts'
import type { Config } from '../../core/config.ts'
import type { SectionName } from '../../core/configuration-file.ts'
import type { Rules } from '../../core/rules.ts'
import type { ChangeContext } from '../../store/context.ts'
import type { Db } from '../../store/db/db.ts'

/** Every member of an object with its value, in the form of the API, where groups and users have ids. Lists without an order are sorted. */
export type Members = Readonly<Record<string, unknown>>

/** An object as it is stored. */
export type Stored = {
  id: string
  name: string
  /** The form in which the name is compared, if it is stored: computing it costs. */
  key?: string
  members: Members
  managed_by: string | null
  /** What a change may expect; undefined if versions count other things as well. */
  version?: number
  /** The secrets in the form in which they are stored. */
  secrets?: string
}

/** An object of a file. `members` are those that the file has, without secrets and names of the form of the file. */
export type Wanted = {
  section: SectionName
  /** Where it stands in the file, as a JSON pointer (`#/groups/0`). */
  pointer: string
  name: string
  renamed_from?: string
  members: Members
  /** Create a new secret for an object that exists. */
  rotates: boolean
  /** What was found out before the transaction; each kind knows its own. */
  prepared: Prepared
}

/** What cannot be done in a transaction: calls to providers, encryption. It must be data. */
export type Prepared = {
  /** The id of a new object, if the secrets are sealed for it. */
  id?: string
  /** Keyed fingerprints of the secrets that the file has, by member. */
  fingerprints?: Readonly<Record<string, string | null>>
  /** Those of the secrets that are stored. */
  storedFingerprints?: Readonly<Record<string, string>>
  /** What only the kind itself reads. */
  secrets?: unknown
}

export type Preparation = {
  db: Db
  config: Config
  actor: Actor
  rules: Rules
  now: number
  /** The object, if it exists. */
  stored: Stored | undefined
  /** The secrets that the file has, in plain text. */
  secrets: Readonly<Record<string, string | null>>
  newId(): string
  fingerprint(text: string): string
  prepare(
    kind: string,
    input: Readonly<Record<string, unknown>>,
    before: { secrets: string[] } | undefined,
  ): Promise<Readonly<Record<string, unknown>>>
}

/** Finds what a file names. Groups and organizations that the file creates have a placeholder until they exist. */
export type References = {
  rules: Pick<Rules, 'roles' | 'configuredSecondFactor'>
  groupId(name: string): string | undefined
  groupNames(): readonly string[]
  /** The id of the member `organization`; null without one. @throws AppError `validation_failed` */
  organizationId(name: unknown): string | null
  userId(username: string): string | undefined
}

/** The names of groups, organizations and users by their ids, to show them. */
export type Names = Readonly<Record<'groups' | 'organizations' | 'users', ReadonlyMap<string, string>>>

/** A change of an object. */
export type Making = { wanted: Wanted; members: Members; secretsChanged: boolean }

/** The secret is undefined unless it is shown once. */
export type Created = { id: string; secret?: string }

export type Kind = {
  section: SectionName
  /** The permission that a change of such an object takes. */
  needs: string
  /** JSON Schema of the object in a file, with the secrets as references. */
  schema: ObjectSchema
  /** Whether a file may rename such an object with `renamed_from`. */
  renames: boolean
  /** The form in which names are compared. */
  nameKey(name: string): string
  list(db: Db): Promise<Stored[]>
  /** Members that may be left out of a file, with the values that they then have. */
  initial(members: Members): Members
  /** Shortens values that a plan has no room for. */
  abridged?(members: Members): Members
  /** Turns ids into names, as a file has them. */
  withNames?(members: Members, names: Names): Members
  /** Turns placeholders into ids. */
  withIds?(members: Members, idOf: (placeholder: string) => string): Members
  /** Brings what a file says into the stored form, complete. @throws AppError `validation_failed` */
  normalize(wanted: Wanted, stored: Stored | undefined, references: References): Members
  /** @throws AppError `validation_failed` and what preparation refuses */
  prepare?(members: Members, preparation: Preparation): Promise<{ members: Members; prepared: Prepared }>
  create(ctx: ChangeContext, making: Making): Promise<Created>
  /** @param changed the members whose values differ */
  update(ctx: ChangeContext, stored: Stored, making: Making & { changed: Members }): Promise<void>
  remove(ctx: ChangeContext, stored: Stored): Promise<void>
  rotate?(ctx: ChangeContext, stored: Stored, wanted: Wanted): Promise<{ secret: string }>
}

export type ObjectSchema = {
  type: 'object'
  additionalProperties: false
  required: readonly string[]
  properties: Readonly<Record<string, object>>
}
