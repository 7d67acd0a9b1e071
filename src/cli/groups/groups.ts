/** `rollbook groups`: manages groups of users and their members. */
import type { Command } from 'commander'
import { examples } from '../terminal/examples.ts'
import { addGroupsDelete } from './delete.ts'
import { addGroupsGet, addGroupsList } from './list.ts'
import { addGroupsAdd, addGroupsRemove } from './members-change.ts'
import { addGroupsMembers } from './members-list.ts'
import { addGroupsCreate, addGroupsUpdate } from './write.ts'

const commands = [
  addGroupsList,
  addGroupsGet,
  addGroupsCreate,
  addGroupsUpdate,
  addGroupsDelete,
  addGroupsMembers,
  addGroupsAdd,
  addGroupsRemove,
]

export function addGroups(program: Command): void {
  const groups = program
    .command('groups')
    .summary('manage groups of users')
    .description(
      "Manages groups of users. Members have the group's role in addition to their own. A group is identified by its id or its name.",
    )
  examples(groups, [
    ['rollbook groups create Support --role user', 'create a group whose members have a role'],
    ['rollbook groups add Support ada bob', 'add members'],
  ])
  for (const add of commands) add(groups)
}
