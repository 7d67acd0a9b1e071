/** The frame of every page: navigation, the signed-in user, and the state of the connection. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { type Me, RollbookError } from 'rollbook/client'
import { consoleBase, placeAndBack, placeOf } from '../api/base.ts'
import { useConfirmation } from '../api/confirm.ts'
import { meQuery } from '../api/me.ts'
import { useWeather } from '../api/weather.ts'
import { PaletteKeys } from '../palette/open-palette.tsx'
import { ShortcutKeys } from '../shortcuts/shortcut-keys.tsx'
import { Problem } from '../ui/problem.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { FactorReminder } from './factor-reminder.tsx'
import { ImpersonationBar } from './impersonation-bar.tsx'
import { Navigation } from './navigation.tsx'
import { SearchFromAnywhere } from './search-from-anywhere.tsx'
import styles from './shell.module.css'
import { WeatherBars } from './weather-bars.tsx'

const ConfirmAgain = lazy(() => import('./confirm-again.tsx'))
const SignInAgain = lazy(() => import('./sign-in-again.tsx'))

export function Shell() {
  const { t } = useLingui()
  const { data: me, error, refetch } = useQuery(meQuery)
  const { isSignedOut } = useWeather()
  const confirmation = useConfirmation()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' })
  const [isOpen, setIsOpen] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes after a navigation.
  useEffect(() => setIsOpen(false), [path])

  useEffect(() => {
    const mustGo = me === undefined ? isRefusedAtFirst(error) : mustActFirst(me)
    if (mustGo) location.replace(placeAndBack('login'))
  }, [me, error])

  // The hour is over, or it was stopped elsewhere: the sign-in page gives the browser its own session back.
  const hasStopped = isSignedOut && me?.act !== undefined
  useEffect(() => {
    if (hasStopped) location.replace(`${placeOf('login')}?return_to=${encodeURIComponent(consoleBase)}`)
  }, [hasStopped])

  // Another user signed in in another tab: drop all data of the first one.
  const first = useRef<string | undefined>(undefined)
  useEffect(() => {
    first.current ??= me?.user_id
    if (me !== undefined && me.user_id !== first.current) location.reload()
  }, [me])
  useEffect(() => {
    const timer = setTimeout(
      () => void import('../pages/import-and-export/kept-plans.ts').then((plans) => plans.forgetOldPlans()),
      5000,
    )
    return () => clearTimeout(timer)
  }, [])

  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        <Trans>Skip to the content</Trans>
      </a>
      <Navigation me={me} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} onClose={() => setIsOpen(false)} />
      <main id="content" tabIndex={-1} className={styles.main}>
        {me?.act !== undefined && <ImpersonationBar me={me} act={me.act} />}
        <WeatherBars />
        {me !== undefined && me.act === undefined && !mustActFirst(me) && !isSignedOut && <FactorReminder me={me} />}
        {me !== undefined && !mustActFirst(me) ? (
          <Outlet />
        ) : error !== null && !isRefusedAtFirst(error) ? (
          <div className={styles.fault}>
            <Problem error={error} retry={() => void refetch()} title={t`The console could not load your account.`} />
          </div>
        ) : (
          <div className={styles.waiting} role="status" aria-label={t`Loading`}>
            <i />
            <i />
            <i />
          </div>
        )}
      </main>
      <Toasts />
      {me !== undefined && <SearchFromAnywhere me={me} />}
      {me !== undefined && <PaletteKeys me={me} />}
      <ShortcutKeys isReady={me !== undefined && !isLoading} />
      {confirmation !== undefined && me !== undefined && !isSignedOut && (
        <Suspense fallback={null}>
          <ConfirmAgain me={me} onAnswer={confirmation.resolve} />
        </Suspense>
      )}
      {isSignedOut && me !== undefined && me.act === undefined && (
        <Suspense fallback={null}>
          <SignInAgain me={me} />
        </Suspense>
      )}
    </div>
  )
}

/** The sign-in page leads through what comes first: a second factor, then a new password. */
function mustActFirst({ must_add_factor, must_change_password }: Me): boolean {
  return must_add_factor || must_change_password
}

function isRefusedAtFirst(error: unknown): boolean {
  return error instanceof RollbookError && error.status === 401
}
