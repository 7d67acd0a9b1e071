// Made from the schema of a user by `npm run generate`; change src/directory/users/schema.ts instead.

/** Members of a user that are plain text. */
export const textMembers = ['first_name', 'last_name'] as const
