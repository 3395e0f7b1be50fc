#pragma once
#include <Arduino.h>

struct Servo {
  int pin = -1;
  void attach(int p, int, int) { pin = p; }
  void detach() { if (pin >= 0) written[pin] = 0; pin = -1; }
  void write(int degrees) { if (pin >= 0) written[pin] = degrees; }
  void writeMicroseconds(int us) { write(us); }
};
