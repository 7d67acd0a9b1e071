/** A chart of days. Its values can be read with the arrow keys, and in the table below it. */
import 'uplot/dist/uPlot.min.css'
import { useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, useEffect, useRef, useSyncExternalStore } from 'react'
import UPlot from 'uplot'
import { formatNumber } from '../../ui/number.ts'
import { formatDay, labelledDays } from './figures.ts'
import styles from './statistics.module.css'

export type Series = {
  label: string
  /** A CSS variable of app.css. */
  color: string
  values: readonly (number | null)[]
}

type Props = {
  dates: readonly string[]
  /** The first series stands on the axis, the next on top of it. */
  series: readonly Series[]
  /** The description for screen readers. */
  label: string
  /** Today is incomplete and has another background. */
  openDay: number
  picked: number | undefined
  onPick: (day: number | undefined) => void
  /** The values of one day, in words. */
  sayDay: (day: number) => string
}

export default function Chart({ dates, series, label, openDay, picked, onPick, sayDay }: Props) {
  const { t, i18n } = useLingui()
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot>(undefined)
  const pick = useRef(onPick)
  pick.current = onPick
  const look = useSyncExternalStore(watchLook, lookOfPage)
  const { locale } = i18n

  // biome-ignore lint/correctness/useExhaustiveDependencies: `look` changes with the colours and the direction.
  useEffect(() => {
    const host = place.current
    if (host === null) return
    const options = optionsFor({ dates, series, openDay, locale, width: host.clientWidth, onPick: pick })
    const drawn = new UPlot(options, dataOf(dates, series), host)
    plot.current = drawn
    const observer = new ResizeObserver(() => {
      if (host.clientWidth > 0) drawn.setSize({ width: host.clientWidth, height: chartHeight })
    })
    observer.observe(host)
    return () => {
      observer.disconnect()
      drawn.destroy()
      plot.current = undefined
    }
  }, [dates, series, openDay, locale, look])

  const last = dates.length - 1
  function onKeyDown(event: KeyboardEvent) {
    const at = picked ?? last
    const forward = document.documentElement.dir === 'rtl' ? -1 : 1
    const next = {
      ArrowRight: picked === undefined ? last : at + forward,
      ArrowLeft: picked === undefined ? last : at - forward,
      ArrowUp: at + 7,
      ArrowDown: at - 7,
      PageUp: at + 30,
      PageDown: at - 30,
      Home: 0,
      End: last,
    }[event.key]
    if (event.key === 'Escape') return point(undefined)
    if (next === undefined) return
    event.preventDefault()
    point(Math.min(last, Math.max(0, next)))
  }

  function point(day: number | undefined) {
    const drawn = plot.current
    onPick(day)
    if (drawn === undefined) return
    const left = day === undefined ? -10 : drawn.valToPos(day, 'x')
    drawn.setCursor({ left, top: day === undefined ? -10 : 0 }, false)
  }

  return (
    // A slider whose value is read by keys; it sets nothing.
    <div
      ref={place}
      className={styles.chart}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-readonly="true"
      aria-roledescription={t`chart`}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={picked ?? last}
      aria-valuetext={sayDay(picked ?? last)}
      onKeyDown={onKeyDown}
      onBlur={() => point(undefined)}
    />
  )
}

const chartHeight = 208
const labelWidth = 76

/** Stacked bars are drawn from the highest to the lowest, each from the axis up. */
function dataOf(dates: readonly string[], series: readonly Series[]): UPlot.AlignedData {
  const sums = series.map((_, upTo) =>
    dates.map((_, day) => {
      const values = series.slice(0, upTo + 1).map(({ values }) => values[day] ?? null)
      return values.includes(null) ? null : values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
    }),
  )
  return [dates.map((_, day) => day), ...sums.reverse()]
}

type Drawing = Pick<Props, 'dates' | 'series' | 'openDay'> & {
  locale: string
  width: number
  onPick: { readonly current: Props['onPick'] }
}

function optionsFor({ dates, series, openDay, locale, width, onPick }: Drawing): UPlot.Options {
  const isRightToLeft = document.documentElement.dir === 'rtl'
  const style = getComputedStyle(document.documentElement)
  const color = (name: string) => style.getPropertyValue(name).trim()
  const font = `12px ${style.getPropertyValue('--mantine-font-family').trim() || 'sans-serif'}`
  const bars = UPlot.paths.bars?.({ size: [0.72, 36], radius: 0.12 })
  const axis = { stroke: color('--rb-quiet'), font, ticks: { show: false } } as const
  return {
    width,
    height: chartHeight,
    // The label of the last day is wider than the day.
    padding: [10, isRightToLeft ? 0 : 20, 0, isRightToLeft ? 30 : 0],
    legend: { show: false },
    scales: {
      x: { time: false, dir: isRightToLeft ? -1 : 1, range: [-0.5, dates.length - 0.5] },
      y: { range: (_, __, most) => [0, Math.max(4, most * 1.05)] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        grid: { show: false },
        splits: ({ width }) => labelledDays(dates.length, Math.floor(width / labelWidth)),
        values: (_, days) => days.map((day) => formatDay(dates[day] ?? '', locale, 'short')),
      },
      {
        ...axis,
        side: isRightToLeft ? 1 : 3,
        size: 48,
        space: 36,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500]
          .flatMap((step) => [step, step * 1000, step * 1_000_000])
          .sort(byNumber),
        grid: { stroke: color('--rb-hairline'), width: 1 },
        values: (_, counts) => counts.map((count) => formatNumber(count, locale)),
      },
    ],
    series: [
      {},
      ...[...series].reverse().map(({ color: name }) => ({
        ...(bars && { paths: bars }),
        fill: color(name),
        stroke: color(name),
        width: 0,
        points: { show: false },
      })),
    ],
    cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { show: false } },
    hooks: {
      drawClear: [
        (drawn) => {
          const first = dates.findIndex((_, day) => series.every(({ values }) => values[day] != null))
          if (first !== 0) shade(drawn, -0.5, (first < 0 ? dates.length : first) - 0.5, color('--rb-well'))
          if (openDay >= 0) shade(drawn, openDay - 0.5, openDay + 0.5, color('--rb-accent-ground'))
        },
      ],
      setCursor: [
        ({ cursor: { idx, left = -1 }, root }) => {
          // The keys announce their day themselves.
          if (root.matches(':hover')) onPick.current(left < 0 || idx == null ? undefined : idx)
        },
      ],
      ready: [
        ({ over }) => {
          over.addEventListener('mouseleave', () => onPick.current(undefined))
        },
      ],
    },
  }
}

function byNumber(one: number, other: number): number {
  return one - other
}

function shade({ ctx, bbox, valToPos }: UPlot, from: number, to: number, color: string): void {
  const [one, other] = [valToPos(from, 'x', true), valToPos(to, 'x', true)]
  ctx.save()
  ctx.fillStyle = color
  ctx.fillRect(Math.min(one, other), bbox.top, Math.abs(other - one), bbox.height)
  ctx.restore()
}

function lookOfPage(): string {
  const { documentElement: root } = document
  return `${root.dataset.mantineColorScheme} ${root.dir}`
}

function watchLook(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme', 'dir'] })
  return () => observer.disconnect()
}
