/** Groups and their members. */
export { hasMembershipEnds } from './ends-store.ts'
export {
  countGroupsWithRole,
  create,
  findGroup,
  findGroupsWithMember,
  type GroupFilters,
  type GroupRow,
  getForChange,
  getRow,
  isPowerfulGroup,
  listAll,
  listGroupsOfUsers,
  listMembersOfGroups,
  listOfUser,
  membershipsBetween,
  remove,
  replaceRole,
  update,
} from './groups.ts'
export { groupsForImport, groupsForImportedChange } from './imported.ts'
export { checkGroupInput, type GroupInput } from './input.ts'
export { jobs } from './jobs.ts'
export {
  addAndRemove,
  changeMembers,
  type EndsByGroup,
  holdGroups,
  joinOrganization,
  judgeMembers,
  leaveAll,
  leaveGroupsOfOrganization,
  type MemberJudge,
  rejoin,
  setMember,
} from './members.ts'
export { metrics } from './metrics.ts'
export { refuseUngrantableGroup } from './rights.ts'
export { findGroupsByNames, listRolesOfGroups, type RoleOfGroup } from './store.ts'
