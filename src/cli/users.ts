/** `rollbook users`: the users of the product, through the API. */
import type { Command } from 'commander'
import { examples } from './examples.ts'
import { addUsersBulk } from './users-bulk.ts'
import { addUsersCreate } from './users-create.ts'
import { addUsersDelete } from './users-delete.ts'
import { addUsersExport } from './users-export.ts'
import { addUsersGet } from './users-get.ts'
import { addUsersImport } from './users-import.ts'
import { addUsersDeleted, addUsersList } from './users-list.ts'
import { addUsersRestore } from './users-restore.ts'
import { addUsersUpdate } from './users-update.ts'

const commands = [
  addUsersList,
  addUsersGet,
  addUsersCreate,
  addUsersUpdate,
  addUsersDelete,
  addUsersRestore,
  addUsersDeleted,
  addUsersBulk,
  addUsersImport,
  addUsersExport,
]

export function addUsers(program: Command): void {
  const users = program
    .command('users')
    .summary('administer the users of the product')
    .description('The users of the product, through the API. One is named by id, username or e-mail.')
  examples(users, [
    ['rollbook users list --role admin', 'who administers'],
    ['rollbook users create ada --email ada@example.com --ask-password', 'a new user, who can sign in'],
  ])
  for (const add of commands) add(users)
}
