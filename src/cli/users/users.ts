/** `rollbook users`: manages the users of the product. */
import type { Command } from 'commander'
import { addUsersExport } from '../export/export.ts'
import { addUsersImport } from '../import/import.ts'
import { examples } from '../terminal/examples.ts'
import { addUsersBulk } from './bulk.ts'
import { addUsersCreate } from './create.ts'
import { addUsersDelete } from './delete.ts'
import { addUsersGet } from './get.ts'
import { addUsersInvite } from './invite.ts'
import { addUsersDeleted, addUsersList } from './list.ts'
import { addUsersResetPassword } from './reset-password.ts'
import { addUsersRestore } from './restore.ts'
import { addUsersSignIn } from './sign-in.ts'
import { addUsersUnlock } from './unlock.ts'
import { addUsersUpdate } from './update.ts'
import { addUsersWithdrawInvitation } from './withdraw-invitation.ts'

const commands = [
  addUsersList,
  addUsersGet,
  addUsersSignIn,
  addUsersCreate,
  addUsersUpdate,
  addUsersUnlock,
  addUsersDelete,
  addUsersInvite,
  addUsersWithdrawInvitation,
  addUsersResetPassword,
  addUsersRestore,
  addUsersDeleted,
  addUsersBulk,
  addUsersImport,
  addUsersExport,
]

export function addUsers(program: Command): void {
  const users = program
    .command('users')
    .summary('manage the users of the product')
    .description('Manages the users of the product. A user is identified by id, username or email address.')
  examples(users, [
    ['rollbook users list --role admin', 'list the administrators'],
    ['rollbook users create ada --email ada@example.com --ask-password', 'create a user who can sign in'],
  ])
  for (const add of commands) add(users)
}
