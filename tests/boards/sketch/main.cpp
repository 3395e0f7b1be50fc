// Runs the sketch by hand: each line "MS HEX" sets the clock, gives bytes ("-": none) and lets it loop; the answer
// is what it said ("-": nothing) and what the twenty pins put out.
#include <Arduino.h>
#include <iostream>

unsigned long clock_ms = 0;
int written[NUM_DIGITAL_PINS];
int applied[NUM_DIGITAL_PINS];
Line Serial;

#include "robotd_firmata.ino"

int main() {
  for (int &one : applied) one = 600;
  setup();
  unsigned long at;
  std::string bytes;
  while (std::cin >> at >> bytes) {
    clock_ms = at;
    for (size_t k = 0; k + 1 < bytes.size(); k += 2) Serial.in.push_back(std::stoi(bytes.substr(k, 2), nullptr, 16));
    loop();
    std::cout << (Serial.out.empty() ? "-" : Serial.out);
    for (int one : written) std::cout << ' ' << one;
    std::cout << std::endl;
    Serial.out.clear();
  }
}
