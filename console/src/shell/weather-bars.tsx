import { Plural, Trans } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { useWeather } from '../api/weather.ts'
import styles from './weather-bars.module.css'

/** Shows when the browser is offline, and counts down while the service is busy. */
export function WeatherBars() {
  const { isOffline, busyUntil } = useWeather()
  return (
    <div role="status">
      {isOffline && (
        <p className={styles.bar}>
          <Trans>
            You are offline. The data shown may be out of date. You can save changes once you are back online.
          </Trans>
        </p>
      )}
      {busyUntil !== undefined && <Countdown until={busyUntil} />}
    </div>
  )
}

function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.ceil((until - now) / 1000)
  if (seconds <= 0) return null
  return (
    <p className={styles.bar}>
      <Trans>
        The service is busy and asks to wait: <Plural value={seconds} one="# second" other="# seconds" />.
      </Trans>
    </p>
  )
}
