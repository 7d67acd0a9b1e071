/** Writes what the console knows of the members of a user, so that a new one appears there automatically. */
import { updateUserSchema } from '../src/directory/users/schema.ts'

/** These have a field of their own in the console: a rule, a choice or another type. */
const special: readonly string[] = ['username', 'password', 'role', 'kind']

export function consoleMembers(): string {
  const names = Object.entries(updateUserSchema.properties)
    .filter(([name, { type }]) => type === 'string' && !special.includes(name))
    .map(([name]) => name)
  return `// Made from the schema of a user by \`npm run generate\`; change src/directory/users/schema.ts instead.

/** Members of a user that are plain text. */
export const textMembers = ${JSON.stringify(names)} as const
`
}
