/** The routes of the console. Only the users page is in the first bundle. */
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { consoleBase } from './api/base.ts'
import { requestsSearch } from './data/search/access-requests.ts'
import { auditSearch } from './data/search/audit.ts'
import { deletedSearch } from './data/search/deleted-users.ts'
import { groupsSearch } from './data/search/groups.ts'
import { importsSearch } from './data/search/imports.ts'
import { keysSearch } from './data/search/keys.ts'
import { rememberSearch } from './data/search/last-users.ts'
import { mailsSearch } from './data/search/mails.ts'
import { organizationSearch, organizationsSearch } from './data/search/organizations.ts'
import { setupSearch } from './data/search/sign-in-connections.ts'
import { userSearch } from './data/search/user.ts'
import { usersSearch } from './data/search/users.ts'
import { isOn } from './lib/features.ts'
import { statisticsSearch } from './pages/statistics/figures.ts'
import { MissingFile } from './shell/reload.ts'
import { RouteProblem } from './shell/route-problem.tsx'
import { Shell } from './shell/shell.tsx'

type LoadPage = () => Promise<{ default: () => ReactNode }>

/** The router reloads the tab on the browser's own error for a missing file, even when the server cannot be reached. */
const lazyPage = (load: LoadPage) =>
  lazyRouteComponent(() =>
    load().catch((error: unknown) => {
      throw new MissingFile(error)
    }),
  )

const root = createRootRouteWithContext()({})

// Outside the shell: no user is signed in here.
const setup = createRoute({
  getParentRoute: () => root,
  path: 'setup',
  component: lazyPage(() => import('./pages/setup/setup-page.tsx')),
})

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell })
const below = { getParentRoute: () => shell } as const

const home = createRoute({
  ...below,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/users', replace: true })
  },
})

const users = createRoute({
  ...below,
  path: 'users',
  validateSearch: usersSearch,
  component: lazyPage(() => import('./pages/users/users-page.tsx')),
})

const statistics = createRoute({
  ...below,
  path: 'statistics',
  validateSearch: statisticsSearch,
  component: lazyPage(() => import('./pages/statistics/statistics-page.tsx')),
})

const user = createRoute({
  ...below,
  path: 'users/$userId',
  validateSearch: userSearch,
  component: lazyPage(() => import('./pages/users/user/user-page.tsx')),
})

const deletedUsers = createRoute({
  ...below,
  path: 'deleted-users',
  validateSearch: deletedSearch,
  component: lazyPage(() => import('./pages/deleted-users/deleted-users-page.tsx')),
})

const accessRequests = createRoute({
  ...below,
  path: 'access-requests',
  validateSearch: requestsSearch,
  component: lazyPage(() => import('./pages/access-requests/access-requests-page.tsx')),
})

const groups = createRoute({
  ...below,
  path: 'groups',
  validateSearch: groupsSearch,
  component: lazyPage(() => import('./pages/groups/groups-page.tsx')),
})

const group = createRoute({
  ...below,
  path: 'groups/$groupId',
  validateSearch: usersSearch,
  component: lazyPage(() => import('./pages/groups/group-page.tsx')),
})

const organizations = createRoute({
  ...below,
  path: 'organizations',
  validateSearch: organizationsSearch,
  component: lazyPage(() => import('./pages/organizations/organizations-page.tsx')),
})

const organization = createRoute({
  ...below,
  path: 'organizations/$organizationId',
  validateSearch: organizationSearch,
  component: lazyPage(() => import('./pages/organizations/organization-page.tsx')),
})

const ownOrganization = createRoute({
  ...below,
  path: 'organization',
  validateSearch: organizationSearch,
  component: lazyPage(() => import('./pages/organizations/own-organization-page.tsx')),
})

const audit = createRoute({
  ...below,
  path: 'audit',
  validateSearch: auditSearch,
  component: lazyPage(() => import('./pages/audit/audit-page.tsx')),
})

const mails = createRoute({
  ...below,
  path: 'mails',
  validateSearch: mailsSearch,
  component: lazyPage(() => import('./pages/messages/mails-page.tsx')),
})

const imports = createRoute({
  ...below,
  path: 'imports',
  validateSearch: importsSearch,
  component: lazyPage(() => import('./pages/import-and-export/imports-page.tsx')),
})

const signInConnectionSetup = createRoute({
  ...below,
  path: 'sign-in-connections/new',
  validateSearch: setupSearch,
  component: lazyPage(() => import('./pages/company-sign-in/setup-page.tsx')),
})

const keys = createRoute({
  ...below,
  path: 'keys',
  validateSearch: keysSearch,
  component: lazyPage(() => import('./pages/api-keys/keys-page.tsx')),
})

const page = <const Path extends string>(path: Path, load: LoadPage) =>
  createRoute({ ...below, path, component: lazyPage(load) })

const routeTree = root.addChildren([
  setup,
  shell.addChildren([
    home,
    users,
    user,
    ...(isOn('access_requests') ? [accessRequests] : []),
    groups,
    group,
    organizations,
    organization,
    ownOrganization,
    deletedUsers,
    statistics,
    imports,
    page('imports/$jobId', () => import('./pages/import-and-export/import-page.tsx')),
    keys,
    page('attributes', () => import('./pages/attributes/attributes-page.tsx')),
    page('provisioning', () => import('./pages/provisioning/connections-page.tsx')),
    page('provisioning/$connectionId', () => import('./pages/provisioning/connection-page.tsx')),
    page('sign-in-connections', () => import('./pages/company-sign-in/connections-page.tsx')),
    signInConnectionSetup,
    page('sign-in-connections/$connectionId', () => import('./pages/company-sign-in/connection-page.tsx')),
    page('configuration', () => import('./pages/configuration/configuration-page.tsx')),
    page('branding', () => import('./pages/branding/branding-page.tsx')),
    page('webhooks', () => import('./pages/webhooks/webhooks-page.tsx')),
    page('webhooks/$endpointId', () => import('./pages/webhooks/webhook-page.tsx')),
    mails,
    audit,
    page('reviews', () => import('./pages/reviews/reviews-page.tsx')),
    page('reviews/$reviewId', () => import('./pages/reviews/review-page.tsx')),
    page('roles', () => import('./pages/roles/roles-page.tsx')),
    page('inactivity', () => import('./pages/inactivity/inactivity-page.tsx')),
    page('second-factors', () => import('./pages/second-factors/second-factors-page.tsx')),
    page('system', () => import('./pages/system/system-page.tsx')),
    page('$', () => import('./shell/not-found.tsx')),
  ]),
])

export const router = createRouter({
  routeTree,
  basepath: consoleBase,
  defaultPreload: 'intent',
  defaultErrorComponent: RouteProblem,
  // Lists of users keep their scroll position in the address.
  scrollRestoration: ({ location }) => !/\/(users|groups\/[^/]+)$/.test(location.pathname),
})

router.subscribe('onBeforeNavigate', ({ fromLocation }) => {
  if (fromLocation?.pathname.endsWith('/users')) rememberSearch(usersSearch(fromLocation.search))
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
