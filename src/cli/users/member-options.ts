/** The members of a user as options of `create` and `update`. */
import type { Command } from 'commander'
import { type CreateUser, createUserSchema } from '../../directory/users/schema.ts'

/** Not options here: a password, the username (an argument of `create`), `invite` (a separate command), `kind`, which never changes, the end date (end-date-options.ts), and the organization, which may be named. */
const apart = ['username', 'password', 'invite', 'kind', 'expires_at', 'organization_id'] as const
type Member = Exclude<keyof CreateUser, (typeof apart)[number]>

/** By the name that commander gives to an option: `firstName`. */
export type MemberOptions = Record<string, unknown>

const described: Readonly<Record<string, readonly [value: string, help: string]>> = {
  email: ['<address>', 'email address'],
  first_name: ['<name>', 'first name'],
  last_name: ['<name>', 'last name'],
  role: ['<role>', 'role; rollbook roles list shows all roles'],
  external_id: ['<id>', 'id of the user in another system'],
}

const inOrder = Object.keys(described)
const members = Object.keys(createUserSchema.properties)
  .filter((member): member is Member => !(apart as readonly string[]).includes(member))
  .sort((a, b) => place(a) - place(b))

/** Members without a specific text come last, in the order of the API. */
function place(member: string): number {
  return inOrder.includes(member) ? inOrder.indexOf(member) : inOrder.length
}

export function addMemberOptions(command: Command): Command {
  for (const member of members) {
    const [value, help] = described[member] ?? ['<text>', member.replaceAll('_', ' ')]
    command.option(`--${member.replaceAll('_', '-')} ${value}`, help)
  }
  return command
}

export function membersOf(options: MemberOptions): Partial<Pick<CreateUser, Member>> {
  const entries = members.map((member) => [member, options[camelCase(member)]] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function camelCase(member: string): string {
  return member.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
