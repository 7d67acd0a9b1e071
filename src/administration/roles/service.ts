/** Roles: what administrators define while the service runs. The roles in force are in `rules` of each context. */
export { checkRoleInput } from './input.ts'
export { jobs } from './jobs.ts'
export { queries } from './list.ts'
export { create, remove, update } from './roles.ts'
export { findHeldRoles, listRoles } from './store.ts'
