/** SCIM's reads. Their code is loaded on first use, because many services do not use SCIM. */
import type { Db } from '../store/db/db.ts'
import type { QueryHandlers } from '../store/storage/registry.ts'
import type { GroupAsked } from './lists/group.ts'
import { isQuick, keyOf } from './lists/quick.ts'
import type { UsersAsked } from './lists/users.ts'

const find = async (db: Db, query: UsersAsked) => (await import('./lists/find.ts')).find(db, query)

export const queries = {
  /** Users that an index finds, and groups. */
  'scim.find': { run: find, isQuick, isBounded: true, sameAs: keyOf },
  /** Lists that may need a scan of all users. */
  'scim.search': { run: find, isQuick: () => false, isBounded: false },
  'scim.group': {
    run: async (db: Db, query: GroupAsked) => (await import('./lists/group.ts')).findGroup(db, query),
    isQuick: () => false,
    isBounded: true,
  },
} satisfies QueryHandlers
