// SPDX-License-Identifier: Apache-2.0
// A small Firmata sketch for robots: as much of the protocol (2.5) as robotd speaks, and wheels that stop by
// themselves half a second after the last drive.
//
// A drive is a value for a PWM pin. Nothing else keeps the wheels turning: questions and reports are answered while
// they stop. A byte from 0x80 on begins a message, whatever was unfinished, so that no cut one eats the next.
//
// A write may wait: for the line, and with native USB up to 250 ms a byte for a computer that hangs. So a report that
// the line has no room for is dropped, an answer that it gets none for is cut short, as the computer asks again; and
// the dead-man is looked at with every byte that goes out.

#include <Arduino.h>
#include <Servo.h>

const unsigned long BAUD = 57600;
const unsigned long DEAD_MAN_MS = 500;
const unsigned long ROOM_MS = 20;  // an answer waits for room for its next byte: at 9600 baud one takes 1 ms
const byte PORTS = (NUM_DIGITAL_PINS + 7) / 8;
const byte SYSEX_BYTES = 64;
const byte REPORT_BYTES = 3;
const char NAME[] = "robotd_firmata";

enum Mode { MODE_INPUT = 0, MODE_OUTPUT = 1, MODE_ANALOG = 2, MODE_PWM = 3, MODE_SERVO = 4, MODE_PULLUP = 11 };

byte modes[NUM_DIGITAL_PINS];
int values[NUM_DIGITAL_PINS];
Servo servos[NUM_DIGITAL_PINS < 24 ? NUM_DIGITAL_PINS : 24];
int shortest[sizeof(servos) / sizeof(servos[0])];
int longest[sizeof(servos) / sizeof(servos[0])];
unsigned int channels;   // bit by bit: reported ones
unsigned int ports;      // the same
byte reported[PORTS];    // what each port reported last
byte begun[SYSEX_BYTES]; // the message that has begun
byte length;
unsigned long sampling = 19, sampled, driven;
bool tells_room;         // the board's core does: some say 0 for ever
bool dropping;           // the rest of a message that found no room
bool stuck;              // nothing could be written since

bool is_analog(byte pin) { return pin >= A0 && pin < A0 + NUM_ANALOG_INPUTS; }
bool is_line(byte pin) { return pin < 2; }  // the serial port's
bool can_servo(byte pin) { return pin < sizeof(servos) / sizeof(servos[0]); }

bool has(byte pin, byte mode) {
  if (pin >= NUM_DIGITAL_PINS || is_line(pin)) return false;
  if (mode == MODE_ANALOG) return is_analog(pin);
  if (mode == MODE_PWM) return digitalPinHasPWM(pin);
  if (mode == MODE_SERVO) return can_servo(pin);
  return mode == MODE_INPUT || mode == MODE_OUTPUT || mode == MODE_PULLUP;
}

void dead_man() {
  if (millis() - driven < DEAD_MAN_MS) return;
  for (byte pin = 0; pin < NUM_DIGITAL_PINS; pin++) {
    if (modes[pin] == MODE_PWM && values[pin]) {
      values[pin] = 0;
      analogWrite(pin, 0);
    }
  }
}

bool has_room(int bytes) {  // that so many can be written without waiting, as far as the core reports
  int found = Serial.availableForWrite();
  if (found > 0) tells_room = true;
  return !tells_room || found >= bytes;
}

void say(byte one) {
  if (one >= 0x80 && one != 0xF7) dropping = false;  // a message begins
  unsigned long since = millis();
  while (!dropping && !has_room(1)) {
    dead_man();
    if (stuck || millis() - since >= ROOM_MS) dropping = stuck = true;
  }
  if (!dropping) {
    Serial.write(one);
    stuck = false;
  }
  dead_man();
}

void say_halves(unsigned int value) { say(value & 0x7F); say(value >> 7 & 0x7F); }

void set_mode(byte pin, byte mode) {
  if (!has(pin, mode)) return;
  if (modes[pin] == MODE_SERVO && mode != MODE_SERVO) servos[pin].detach();
  modes[pin] = mode;
  values[pin] = 0;
  if (mode == MODE_SERVO) {
    servos[pin].attach(pin, shortest[pin], longest[pin]);
  } else if (mode == MODE_OUTPUT || mode == MODE_PWM) {
    digitalWrite(pin, LOW);
    pinMode(pin, OUTPUT);
  } else {
    pinMode(pin, mode == MODE_PULLUP ? INPUT_PULLUP : INPUT);
  }
}

void reset() {
  channels = ports = 0;
  length = 0;
  sampling = 19;
  for (byte pin = 0; pin < NUM_DIGITAL_PINS; pin++) {
    if (can_servo(pin)) {
      shortest[pin] = 544;
      longest[pin] = 2400;
    }
    set_mode(pin, is_analog(pin) ? MODE_ANALOG : MODE_OUTPUT);
  }
}

void write_analog(byte pin, int value) {
  if (pin >= NUM_DIGITAL_PINS) return;
  if (modes[pin] == MODE_PWM) {
    driven = millis();
    values[pin] = value > 255 ? 255 : value;
    analogWrite(pin, values[pin]);
  } else if (modes[pin] == MODE_SERVO) {
    values[pin] = value;
    if (value < 544) servos[pin].write(value > 180 ? 180 : value);
    else servos[pin].writeMicroseconds(value);
  }
}

void write_digital(byte pin, bool high) {
  if (pin < NUM_DIGITAL_PINS && modes[pin] == MODE_OUTPUT) {
    values[pin] = high;
    digitalWrite(pin, high);
  }
}

byte read_port(byte port) {
  byte bits = 0;
  for (byte k = 0; k < 8; k++) {
    byte pin = port * 8 + k;
    bool input = pin < NUM_DIGITAL_PINS && (modes[pin] == MODE_INPUT || modes[pin] == MODE_PULLUP);
    if (input && digitalRead(pin)) bits |= 1 << k;
  }
  return bits;
}

void report_port(byte port) {
  byte bits = read_port(port);
  say(0x90 | port);
  say_halves(bits);
  if (!dropping) reported[port] = bits;
}

void tell_version() { say(0xF9); say(2); say(5); }

void tell_name() {
  say(0xF0); say(0x79); say(2); say(5);
  for (const char *letter = NAME; *letter; letter++) say_halves(*letter);
  say(0xF7);
}

void tell_capabilities() {
  const byte all[] = {MODE_INPUT, MODE_OUTPUT, MODE_ANALOG, MODE_PWM, MODE_SERVO, MODE_PULLUP};
  const byte bits[] = {1, 1, 10, 8, 14, 1};
  say(0xF0); say(0x6C);
  for (byte pin = 0; pin < NUM_DIGITAL_PINS; pin++) {
    for (byte k = 0; k < sizeof(all); k++) {
      if (has(pin, all[k])) { say(all[k]); say(bits[k]); }
    }
    say(0x7F);
  }
  say(0xF7);
}

void tell_mapping() {
  say(0xF0); say(0x6A);
  for (byte pin = 0; pin < NUM_DIGITAL_PINS; pin++) say(is_analog(pin) ? pin - A0 : 0x7F);
  say(0xF7);
}

void tell_state(byte pin) {
  if (pin >= NUM_DIGITAL_PINS) return;
  say(0xF0); say(0x6E); say(pin); say(modes[pin]);
  say_halves(values[pin]);
  say(0xF7);
}

void take_sysex(byte kind, const byte *data, byte size) {
  if (kind == 0x79) tell_name();
  else if (kind == 0x6B) tell_capabilities();
  else if (kind == 0x69) tell_mapping();
  else if (kind == 0x6D && size >= 1) tell_state(data[0]);
  else if (kind == 0x6F && size >= 2) write_analog(data[0], data[1] | (size > 2 ? data[2] << 7 : 0));
  else if (kind == 0x7A && size == 2) sampling = max(10, data[0] | data[1] << 7);
  else if (kind == 0x70 && size == 5 && can_servo(data[0])) {
    shortest[data[0]] = data[1] | data[2] << 7;
    longest[data[0]] = data[3] | data[4] << 7;
  }
}

void take_message() {  // of two or three bytes, once it is whole
  byte first = begun[0], command = first < 0xF0 ? first & 0xF0 : first, index = first & 0x0F;
  if (command == 0xC0 || command == 0xD0) {
    if (length < 2) return;
    unsigned int bit = 1u << index;
    unsigned int &which = command == 0xC0 ? channels : ports;
    which = begun[1] ? which | bit : which & ~bit;
    if (command == 0xD0 && begun[1] && index < PORTS) report_port(index);
  } else {
    if (length < 3) return;
    if (command == 0xE0) write_analog(index, begun[1] | begun[2] << 7);
    else if (command == 0xF4) set_mode(begun[1], begun[2]);
    else if (command == 0xF5) write_digital(begun[1], begun[2]);
    else if (command == 0x90) {
      byte bits = begun[1] | begun[2] << 7;
      for (byte k = 0; k < 8; k++) write_digital(index * 8 + k, bits >> k & 1);
    }
  }
  length = 0;
}

void take(byte one) {
  if (one == 0xF7) {
    if (length > 1 && begun[0] == 0xF0 && length < SYSEX_BYTES) take_sysex(begun[1], begun + 2, length - 2);
    length = 0;
  } else if (one == 0xFF) {
    reset();
  } else if (one == 0xF9) {
    length = 0;
    tell_version();
  } else if (one >= 0x80) {
    begun[0] = one;
    length = 1;
  } else if (length > 0 && length < SYSEX_BYTES) {
    begun[length++] = one;
    if (begun[0] != 0xF0) take_message();
  }
}

void setup() {
  Serial.begin(BAUD);
  reset();
  tell_version();
  tell_name();
}

void loop() {
  while (Serial.available()) take(Serial.read());
  dead_man();
  unsigned long now = millis();
  for (byte port = 0; port < PORTS; port++) {
    if (ports >> port & 1 && read_port(port) != reported[port] && has_room(REPORT_BYTES)) report_port(port);
  }
  if (now - sampled >= sampling) {
    sampled = now;
    for (byte channel = 0; channel < NUM_ANALOG_INPUTS; channel++) {
      if (channels >> channel & 1 && modes[A0 + channel] == MODE_ANALOG && has_room(REPORT_BYTES)) {
        say(0xE0 | channel);
        say_halves(analogRead(channel));
      }
    }
  }
}
