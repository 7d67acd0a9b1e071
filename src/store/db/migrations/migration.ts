/** One step of the schema, forward only. A released one is never edited. */
export type Migration = {
  name: string
  /**
   * The newest migration that code must know to work with the schema after this one. A step that only adds names an
   * earlier one, so that nodes of the release before go on while this one is brought in; one that takes away names the
   * step from which on nothing uses what goes (docs/upgrade.md).
   */
  needs: string
  sqlite: readonly string[]
  postgres: readonly string[]
}
