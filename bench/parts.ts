/** What is measured, by the name it has on the command line. */
import { client } from './parts/client.ts'
import { commandLine } from './parts/command-line.ts'
import { configuration } from './parts/configuration.ts'
import { consoleScreen } from './parts/console.ts'
import { deprovisioning } from './parts/deprovisioning.ts'
import { exportUsers } from './parts/export.ts'
import { forwardAuth } from './parts/forward-auth.ts'
import { groups } from './parts/groups.ts'
import { importUsers } from './parts/import.ts'
import { journal, postgresJournal } from './parts/journal.ts'
import { mail } from './parts/mail.ts'
import { mixed } from './parts/mixed.ts'
import { organizations, postgresOrganizations } from './parts/organizations.ts'
import {
  postgresCreate,
  postgresCredentials,
  postgresGet,
  postgresList,
  postgresOffset,
  postgresPage,
  postgresPatch,
} from './parts/postgres.ts'
import { access, get, list, page, streams } from './parts/reading.ts'
import { scim, scimFilter, scimPage, scimSync } from './parts/scim.ts'
import { postgresSearch, postgresSearchByWords, search, searchByWords } from './parts/search.ts'
import type { Part } from './parts/settings.ts'
import { listShapes, postgresShapes } from './parts/shapes.ts'
import { signIn } from './parts/sign-in.ts'
import { size, start } from './parts/starting.ts'
import { verify } from './parts/verify.ts'
import { create, password, patch, slowDisk } from './parts/writing.ts'

export const parts = {
  get,
  page,
  list,
  access,
  streams,
  search,
  'search-words': searchByWords,
  shapes: listShapes,
  create,
  patch,
  journal,
  import: importUsers,
  export: exportUsers,
  mixed,
  mail,
  'slow-disk': slowDisk,
  password,
  'sign-in': signIn,
  'forward-auth': forwardAuth,
  scim,
  groups,
  organizations,
  configuration,
  start,
  size,
  verify,
  client,
  'command-line': commandLine,
  console: consoleScreen,
  'postgres-get': postgresGet,
  'postgres-page': postgresPage,
  'postgres-search': postgresSearch,
  'postgres-search-words': postgresSearchByWords,
  'postgres-offset': postgresOffset,
  'postgres-create': postgresCreate,
  'postgres-patch': postgresPatch,
  'postgres-journal': postgresJournal,
  'postgres-list': postgresList,
  'postgres-credentials': postgresCredentials,
  'postgres-shapes': postgresShapes,
  'postgres-organizations': postgresOrganizations,
} satisfies Record<string, Part>

/** The pieces of long parts, to be measured alone. */
export const pieces = {
  'scim-page': scimPage,
  'scim-filter': scimFilter,
  'scim-sync': scimSync,
  deprovisioning,
} satisfies Record<string, Part>
