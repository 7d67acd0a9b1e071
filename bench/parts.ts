/** What is measured, by the name it has on the command line. */
import { postgresCredentials, postgresGet, postgresList, postgresPatch } from './parts/postgres.ts'
import { get, list, page, search, streams } from './parts/reading.ts'
import type { Part } from './parts/settings.ts'
import { size, start } from './parts/starting.ts'
import { create, password, patch, slowDisk } from './parts/writing.ts'

export const parts = {
  get,
  page,
  list,
  streams,
  search,
  create,
  patch,
  'slow-disk': slowDisk,
  password,
  start,
  size,
  'postgres-get': postgresGet,
  'postgres-patch': postgresPatch,
  'postgres-list': postgresList,
  'postgres-credentials': postgresCredentials,
} satisfies Record<string, Part>
