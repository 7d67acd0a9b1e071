const userTabs = ['details', 'groups', 'keys', 'password', 'security', 'sessions', 'history', 'database'] as const
export type UserTab = (typeof userTabs)[number]
type UserSearch = { tab?: UserTab }

/** The open tab of a user; the details are the default. */
export function userSearch(raw: Record<string, unknown>): UserSearch {
  const tab = userTabs.find((tab) => tab === raw.tab)
  return tab === undefined || tab === 'details' ? {} : { tab }
}
