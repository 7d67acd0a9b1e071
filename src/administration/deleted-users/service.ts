/**
 * Deletion of users, and its reversal: a deleted user can be restored for a while, and is erased after that, or at once.
 * Leaves the rules of users to directory/users/users.ts, and the rest of an erasure to erasure.ts.
 */
export { holdForChange, holdFormerNames, isDeleted, isPowerfulIfRestored, remove, restore } from './deleted-users.ts'
export { eraseSoon } from './eraser.ts'
export { jobs } from './jobs.ts'
export { removeFound } from './removal.ts'
