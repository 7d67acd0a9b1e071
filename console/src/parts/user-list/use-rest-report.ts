import { useEffect, useRef } from 'react'

const reportMs = 300

/** Reports the first row in view once the view rests there, but not where it began. */
export function useRestReport(row: number, onRest: (row: number) => void, { isOn }: { isOn: boolean }): void {
  const report = useRef(onRest)
  report.current = onRest
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isOn) return
    if (isFirst.current) {
      isFirst.current = false
      return
    }
    const timer = setTimeout(() => report.current(row), reportMs)
    return () => clearTimeout(timer)
  }, [row, isOn])
}
