// As much of the Arduino core as the sketch needs, on the computer that runs the tests: an Uno's pins.
#pragma once
#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>

typedef uint8_t byte;
#define HIGH 1
#define LOW 0
#define INPUT 0
#define OUTPUT 1
#define INPUT_PULLUP 2
#define NUM_DIGITAL_PINS 20
#define NUM_ANALOG_INPUTS 6
#define A0 14
#define digitalPinHasPWM(p) ((p) == 3 || (p) == 5 || (p) == 6 || (p) == 9 || (p) == 10 || (p) == 11)

extern unsigned long clock_ms, changed_ms;
extern int written[NUM_DIGITAL_PINS];   // what each pin puts out
extern int applied[NUM_DIGITAL_PINS];   // what is at each pin from outside
inline unsigned long millis() { return clock_ms; }
inline void pinMode(byte, byte) {}
inline void digitalWrite(byte pin, bool high) { written[pin] = high ? 255 : 0; }
inline int digitalRead(byte pin) { return applied[pin] > 511; }
inline int analogRead(byte channel) { return applied[A0 + channel] + clock_ms / 10 % 7; }  // a live one wavers
inline void analogWrite(byte pin, int value) {
  if (written[pin] != value) changed_ms = clock_ms;
  written[pin] = value;
}
inline long max(long one, long other) { return one > other ? one : other; }

const int BUFFER = 63;             // bytes that wait to be sent
const unsigned long BLOCKS_MS = 250;  // a write into a full one at most, as with native USB

struct Line {
  std::deque<byte> in;
  std::string out;
  int rate = 5;
  bool tells = true;
  long waiting = 0;
  unsigned long sent_ms = 0;
  void send() {
    waiting = max(0, waiting - rate * long(clock_ms - sent_ms));
    sent_ms = clock_ms;
  }
  int availableForWrite() {
    send();
    if (waiting >= BUFFER) clock_ms++;  // whoever looks again and again takes time too
    return tells ? BUFFER - waiting : 0;
  }
  void begin(unsigned long) {}
  int available() { return in.size(); }
  int read() { byte one = in.front(); in.pop_front(); return one; }
  void write(byte one) {
    for (unsigned long waited = 0; send(), waiting >= BUFFER; waited++) {
      if (waited == BLOCKS_MS) return;
      clock_ms++;
    }
    waiting++;
    char text[3];
    snprintf(text, sizeof text, "%02x", one);
    out += text;
  }
};
extern Line Serial;
