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
import { auditSearch } from './audit/search.ts'
import { deletedSearch } from './deleted-users/search.ts'
import { groupsSearch } from './groups/search.ts'
import { importsSearch } from './imports/imports-search.ts'
import { mailsSearch } from './mails/search.ts'
import { MissingFile } from './shell/reload.ts'
import { RouteProblem } from './shell/route-problem.tsx'
import { Shell } from './shell/shell.tsx'
import { setupSearch } from './sign-in-connection/search.ts'
import { statisticsSearch } from './statistics/figures.ts'
import { userSearch } from './user/search.ts'
import { rememberSearch } from './user-search/last-search.ts'
import { usersSearch } from './user-search/search-params.ts'

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
  component: lazyPage(() => import('./setup/setup-page.tsx')),
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
  component: lazyPage(() => import('./users/users-page.tsx')),
})

const statistics = createRoute({
  ...below,
  path: 'statistics',
  validateSearch: statisticsSearch,
  component: lazyPage(() => import('./statistics/statistics-page.tsx')),
})

const user = createRoute({
  ...below,
  path: 'users/$userId',
  validateSearch: userSearch,
  component: lazyPage(() => import('./user/user-page.tsx')),
})

const deletedUsers = createRoute({
  ...below,
  path: 'deleted-users',
  validateSearch: deletedSearch,
  component: lazyPage(() => import('./deleted-users/deleted-users-page.tsx')),
})

const groups = createRoute({
  ...below,
  path: 'groups',
  validateSearch: groupsSearch,
  component: lazyPage(() => import('./groups/groups-page.tsx')),
})

const group = createRoute({
  ...below,
  path: 'groups/$groupId',
  validateSearch: usersSearch,
  component: lazyPage(() => import('./groups/group-page.tsx')),
})

const audit = createRoute({
  ...below,
  path: 'audit',
  validateSearch: auditSearch,
  component: lazyPage(() => import('./audit/audit-page.tsx')),
})

const mails = createRoute({
  ...below,
  path: 'mails',
  validateSearch: mailsSearch,
  component: lazyPage(() => import('./mails/mails-page.tsx')),
})

const imports = createRoute({
  ...below,
  path: 'imports',
  validateSearch: importsSearch,
  component: lazyPage(() => import('./imports/imports-page.tsx')),
})

const signInConnectionSetup = createRoute({
  ...below,
  path: 'sign-in-connections/new',
  validateSearch: setupSearch,
  component: lazyPage(() => import('./sign-in-connections/setup-page.tsx')),
})

const page = <const Path extends string>(path: Path, load: LoadPage) =>
  createRoute({ ...below, path, component: lazyPage(load) })

const routeTree = root.addChildren([
  setup,
  shell.addChildren([
    home,
    users,
    user,
    groups,
    group,
    deletedUsers,
    statistics,
    imports,
    page('imports/$jobId', () => import('./imports/import-page.tsx')),
    page('keys', () => import('./keys/keys-page.tsx')),
    page('attributes', () => import('./attributes/attributes-page.tsx')),
    page('provisioning', () => import('./provisioning/connections-page.tsx')),
    page('provisioning/$connectionId', () => import('./provisioning/connection-page.tsx')),
    page('sign-in-connections', () => import('./sign-in-connections/connections-page.tsx')),
    signInConnectionSetup,
    page('sign-in-connections/$connectionId', () => import('./sign-in-connections/connection-page.tsx')),
    page('webhooks', () => import('./webhooks/webhooks-page.tsx')),
    page('webhooks/$endpointId', () => import('./webhooks/webhook-page.tsx')),
    mails,
    audit,
    page('roles', () => import('./roles/roles-page.tsx')),
    page('second-factors', () => import('./second-factors/second-factors-page.tsx')),
    page('system', () => import('./system/system-page.tsx')),
    page('profile', () => import('./profile/profile-page.tsx')),
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
